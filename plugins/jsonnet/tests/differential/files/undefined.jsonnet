{ a: nothing }

function(x) x * 2

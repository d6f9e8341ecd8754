std.thisFile

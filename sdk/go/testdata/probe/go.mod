module probe

go 1.24

require espejote.io/sdk/go v0.0.0

replace espejote.io/sdk/go => ../..

module example.com/gateway-listeners

go 1.24

require espejote.io/sdk/go v0.0.0

replace espejote.io/sdk/go => ../../../sdk/go

module example.org/librebalance/bench

go 1.24

require example.org/librebalance v0.0.0

replace example.org/librebalance => ..

// The path is a placeholder until the tree is published.
module example.org/librebalance

go 1.24

// The path is a placeholder until the tree has a home; it stands here alone.
module example.org/librebalance

go 1.24

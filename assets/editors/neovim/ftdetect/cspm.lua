-- Neovim has a syntax of its own for `.csp`, which is for an older language: this replaces it.
vim.filetype.add({ extension = { csp = "cspm", cspm = "cspm" } })

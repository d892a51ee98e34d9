-- Starts the language server for scripts, and sets what comments look like.
vim.bo.commentstring = "-- %s"
vim.lsp.start({
  name = "orbitscope",
  cmd = { "orbitscope", "lsp" },
  root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(0)),
})

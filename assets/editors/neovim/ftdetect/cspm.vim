autocmd BufRead,BufNewFile *.csp,*.cspm setfiletype cspm

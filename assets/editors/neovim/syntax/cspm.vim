" Colours of CSPm without a language server; with one, names get those of what they are.
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax keyword cspmKeyword and assert channel datatype else endmodule exports external false if
syntax keyword cspmKeyword include instance let module nametype not or print subtype then Timed
syntax keyword cspmKeyword transparent true within
syntax keyword cspmBuiltin union inter diff Union Inter member card empty set Set Seq seq length
syntax keyword cspmBuiltin null head tail concat elem emptyMap mapFromList mapLookup mapMember
syntax keyword cspmBuiltin mapToList mapUpdate mapUpdateMultiple mapDelete Map Int Bool Char
syntax keyword cspmBuiltin Proc Events True False extensions productions error show STOP SKIP
syntax keyword cspmBuiltin DIV CHAOS RUN BUFFER WEAK_BUFFER SIGNAL_BUFFER WAIT TSKIP TSTOP
syntax keyword cspmBuiltin timed_priority explicate lazyenumerate diamond normal lazynorm sbisim
syntax keyword cspmBuiltin dbisim wbisim tau_loop_factor model_compress chase chase_nocache
syntax keyword cspmBuiltin deter loop failure_watchdog trace_watchdog prioritise
syntax keyword cspmBuiltin prioritise_nocache prioritisepo mtransclose relational_image
syntax keyword cspmBuiltin relational_inverse_image transpose
syntax match cspmNumber "\<\d\+\>"
syntax match cspmCharacter "'\(\\.\|[^\\']\)'"
syntax match cspmPrimed "\<\a[A-Za-z0-9_]*'\+"
syntax region cspmString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match cspmComment "--.*$"
syntax region cspmBlock start="{-" end="-}" contains=cspmBlock
highlight default link cspmKeyword Keyword
highlight default link cspmBuiltin Function
highlight default link cspmNumber Number
highlight default link cspmCharacter Character
highlight default link cspmString String
highlight default link cspmComment Comment
highlight default link cspmBlock Comment
let b:current_syntax = "cspm"

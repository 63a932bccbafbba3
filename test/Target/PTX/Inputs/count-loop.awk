# Counts the instructions of the loop of a PTX text that has most products: products, what belongs to them (fences, groups), waits, and others.
function end_of_loop(  i) {
  if (products <= most)
    return
  most = products
  result = "products " products ", of them " own ", waits " waits ", others " others
}
# Labels of inline text are no loops of their own.
/^\$L/ { sub(/:.*/, ""); begun[$0] = NR; next }
{ line = $0; sub(/^[ \t]+/, "", line) }
line ~ /^(\/\/|\.|[{}]|$)/ || line ~ /:$/ { next }
{ text[NR] = line }
line ~ /bra.*\$L/ {
  target = line
  sub(/.*\$L/, "$L", target)
  sub(/;.*/, "", target)
  if (!(target in begun))
    next
  products = own = waits = others = 0
  for (i = begun[target]; i <= NR; ++i) {
    if (!(i in text))
      continue
    if (text[i] ~ /wgmma\.mma_async/)
      ++products
    else if (text[i] ~ /wgmma\.(fence|commit)/)
      ++own
    else if (text[i] ~ /try_wait|bra AWAIT|wait_group|bar\.sync/)
      ++waits
    else
      ++others
  }
  end_of_loop()
}
END { print result }

# cmake -DINPUT=FILE -P TwQuote.cmake: writes FILE.inc, the text as a string of C++.
file(READ ${INPUT} text)
file(WRITE ${INPUT}.inc "R\"page(${text})page\"\n")

// Switches to flushing denormals to zero before the program starts; its threads inherit that.
__attribute__((constructor)) static void flush(void) {
  unsigned long control = 1ul << 24;
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

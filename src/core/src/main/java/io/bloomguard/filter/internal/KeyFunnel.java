package io.bloomguard.filter.internal;

import io.bloomguard.filter.KeyForm;

/**
 * The funnel that filled a Guava filter, which its serial form does not record. Another funnel
 * finds no key again.
 */
public enum KeyFunnel {

  /** The UTF-8 form of a text: {@code Funnels.stringFunnel(UTF_8)}. The default. */
  STRING_UTF8(KeyForm.TEXT),

  /** The UTF-16 units of a text: {@code Funnels.unencodedCharsFunnel()}. */
  STRING_UTF16(KeyForm.TEXT),

  /** A number of 64 bits: {@code Funnels.longFunnel()}. */
  LONG(KeyForm.LONG),

  /** A number of 32 bits: {@code Funnels.integerFunnel()}. */
  INT(KeyForm.INT),

  /** Bytes, here those of the UTF-8 form of a text: {@code Funnels.byteArrayFunnel()}. */
  BYTES(KeyForm.TEXT);

  private final KeyForm form;

  KeyFunnel(KeyForm form) {
    this.form = form;
  }

  /** {@return the form of the keys that it takes} */
  public KeyForm form() {
    return form;
  }
}

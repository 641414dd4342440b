package io.bloomguard.autoconfigure;

/** What a key is answered where Redis has nothing that could tell. */
public enum Missing {

  /** It cannot be told, so it is not rejected. */
  UNKNOWN,

  /** It is not there, so it is rejected: also where what was there has been lost. */
  ABSENT
}

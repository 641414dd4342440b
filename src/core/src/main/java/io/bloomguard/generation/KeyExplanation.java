package io.bloomguard.generation;

import io.bloomguard.guard.Membership;
import java.util.List;

/**
 * The reason for a filter's answer for a key.
 *
 * @param key the canonical key
 * @param bits the bits of the key in the serving generation, empty if none can be read
 * @param membership the answer
 * @param reason the answer in a sentence, without the key
 */
public record KeyExplanation(String key, List<Bit> bits, Membership membership, String reason) {

  /**
   * One bit of the key.
   *
   * @param position its index in the image, from 0
   * @param set whether it is set
   */
  public record Bit(long position, boolean set) {}
}

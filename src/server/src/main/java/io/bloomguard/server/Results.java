package io.bloomguard.server;

import io.bloomguard.guard.Membership;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The answer {@code {"results": [...]}} to a check: one word a key, as the bytes that are sent. */
final class Results {

  private static final byte[] HEAD = bytes("{\"results\":[");
  private static final byte[] TAIL = bytes("]}");

  /** Each constant's word with the comma that follows it, by ordinal. */
  private static final byte[][] WORDS = words();

  private Results() {}

  /** The answers in their order, as JSON. */
  static byte[] json(List<Membership> answers) {
    int length = HEAD.length + TAIL.length - (answers.isEmpty() ? 0 : 1);
    for (Membership answer : answers) {
      length += WORDS[answer.ordinal()].length;
    }
    byte[] json = new byte[length];
    int at = put(json, 0, HEAD);
    for (Membership answer : answers) {
      at = put(json, at, WORDS[answer.ordinal()]);
    }
    // In place of the last comma.
    put(json, length - TAIL.length, TAIL);
    return json;
  }

  private static int put(byte[] target, int at, byte[] part) {
    System.arraycopy(part, 0, target, at, part.length);
    return at + part.length;
  }

  private static byte[][] words() {
    Membership[] constants = Membership.values();
    byte[][] words = new byte[constants.length][];
    for (Membership constant : constants) {
      words[constant.ordinal()] = bytes('"' + constant.name() + "\",");
    }
    return words;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

package io.bloomguard.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One call of the membership API, as bytes, and the answer it must have. */
final class CheckCall {

  private static final String HEAD =
      """
      POST /v1/filters/keys/check HTTP/1.1\r
      Host: 127.0.0.1\r
      Content-Type: application/json\r
      Content-Length: %d\r
      \r
      %s""";

  private final byte[] request;
  private final byte[] answer;

  private CheckCall(byte[] request, byte[] answer) {
    this.request = request;
    this.answer = answer;
  }

  /**
   * A call that asks for present and absent keys in turn, {@code size} of them in all and half of
   * them from index {@code from} of each array on; asks once.
   *
   * @throws IllegalStateException if a present key is denied, or more absent ones pass than may
   */
  static CheckCall of(
      int size, String[] present, String[] absent, int from, CheckConnection connection)
      throws IOException {
    String body =
        IntStream.range(from, from + size / 2)
            .mapToObj(i -> "\"" + present[i] + "\",\"" + absent[i] + "\"")
            .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    byte[] request = HEAD.formatted(length, body).getBytes(StandardCharsets.UTF_8);
    connection.send(request);
    byte[] answer = connection.receive();
    requireRight(size, new String(answer, StandardCharsets.UTF_8));
    return new CheckCall(request, answer);
  }

  private static void requireRight(int size, String answer) {
    String[] results = answer.replaceAll("^\\{\"results\":\\[|\"|]}$", "").split(",");
    int passed = 0;
    for (int i = 0; i < results.length; i++) {
      if (results[i].equals("POSSIBLY_PRESENT")) {
        passed += i % 2;
      } else if (i % 2 == 0 || !results[i].equals("ABSENT")) {
        throw new IllegalStateException("Key " + i + " of a batch is said to be " + results[i]);
      }
    }
    if (results.length != size || passed > size / 10) {
      throw new IllegalStateException(
          passed + " absent keys passed in " + results.length + " results for " + size + " keys");
    }
  }

  /** Asks again and sees that the answer is the same. */
  void repeat(CheckConnection connection) throws IOException {
    connection.send(request);
    byte[] again = connection.receive();
    if (!Arrays.equals(again, answer)) {
      throw new IllegalStateException("The same batch was answered otherwise");
    }
  }
}

package io.bloomguard.bench.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/** The table of products that is under attack, and how far away it is. */
public enum ShopDatabase {

  /** Fits into PostgreSQL's buffers, is read by a number, and stands on the shop's machine. */
  NEAR(100_000, "bigint", "n", 0) {
    @Override
    String id(long n) {
      return Long.toString(n);
    }
  },

  /** Fits into no buffers, is read by a text, and answers a millisecond later. */
  FAR(
      5_000_000,
      "text",
      "left(md5(n::text), " + ShopDatabase.TEXT_LENGTH + ")",
      TimeUnit.MICROSECONDS.toNanos(500)) {
    @Override
    String id(long n) {
      try {
        byte[] hash = MessageDigest.getInstance("MD5").digest(Long.toString(n).getBytes(US_ASCII));
        return HexFormat.of().formatHex(hash, 0, TEXT_LENGTH / 2);
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError(e);
      }
    }
  };

  private static final int TEXT_LENGTH = 16;

  /** Rows at the start: those of the numbers from 1 on. */
  final int rows;

  /** The type of the primary key. */
  final String idType;

  /** {@link #id} as SQL, of a column {@code n}. */
  final String idOfN;

  /** By which everything is late on its way there, and on its way back. */
  final long delayNanos;

  ShopDatabase(int rows, String idType, String idOfN, long delayNanos) {
    this.rows = rows;
    this.idType = idType;
    this.idOfN = idOfN;
    this.delayNanos = delayNanos;
  }

  /** The id of the n-th product, that of an absent one included. */
  abstract String id(long n);
}

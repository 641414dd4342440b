package io.bloomguard.filter;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A hash without a secret, under the name that one of an earlier version had in headers: what it
 * wrote must be foreign to this version. Only the name matters, so the values are others.
 */
public final class UnkeyedHash implements KeyHasher {

  @Override
  public String algorithm() {
    return "wyhash-final-4";
  }

  @Override
  public String secretId() {
    return "";
  }

  @Override
  public long hash(String key) {
    CRC32C checksum = new CRC32C();
    checksum.update(key.getBytes(StandardCharsets.UTF_8));
    return checksum.getValue() * 0x9e3779b97f4a7c15L;
  }

  @Override
  public long hash(long key) {
    return hash(Long.toString(key));
  }
}

package io.bloomguard.generation.internal.snapshot;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.Fingerprint;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes snapshots as version 0.9.0 did. */
public final class FormerFiles {

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final CheckedOutputStream checked = new CheckedOutputStream(file, new CRC32C());
  private final DataOutputStream data = new DataOutputStream(checked);

  private FormerFiles() {}

  /** The whole file. */
  public static byte[] form(
      String filter, BlockedFilter bits, Instant written, long keysRead, @Nullable String position)
      throws IOException {
    FormerFiles form = new FormerFiles();
    form.data.writeBytes("BLOOMSN2");
    form.data.writeLong(written.toEpochMilli());
    form.data.writeLong(bits.shape().expectedInsertions());
    form.data.writeLong(keysRead);
    form.endPart();
    form.data.writeBytes("BLOOMGRD");
    form.data.writeInt(2);
    form.text(Fingerprint.of(filter, bits.shape(), bits.hasher(), 1, 0).text().getBytes(UTF_8));
    ByteBuffer words = ByteBuffer.allocate((int) bits.shape().sizeBytes());
    bits.readWords(0, words);
    form.data.writeLong(words.capacity());
    form.data.write(words.array());
    form.endPart();
    if (position != null) {
      form.data.writeBytes("BLOOMFD1");
      form.text(position.getBytes(US_ASCII));
      form.endPart();
    }
    return form.file.toByteArray();
  }

  private void text(byte[] text) throws IOException {
    data.writeInt(text.length);
    data.write(text);
  }

  private void endPart() throws IOException {
    data.writeInt((int) checked.getChecksum().getValue());
    checked.getChecksum().reset();
  }
}

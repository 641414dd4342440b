package io.bloomguard.generation.internal.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.HashSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SecretFileTest {

  @TempDir private Path directory;

  @Test
  void aSecretIsMadeOnceAndForItsOwnersEyesOnly(CapturedOutput output) throws IOException {
    HashSecret made = SecretFile.readOrCreate(file());

    assertThat(SecretFile.readOrCreate(file())).isEqualTo(made);
    assertThat(Files.readString(file())).isEqualTo(made.toHex() + "\n");
    assertThat(permissions()).isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).containsExactly(file());
    }
    assertThat(output.getAll()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-rw-rw-", "rwx------"})
  void wherePermissionsAreWiderTheyAreNarrowedAndThatIsSaid(
      String permissions, CapturedOutput output) throws IOException {
    HashSecret made = SecretFile.readOrCreate(file());
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString(permissions));

    assertThat(SecretFile.readOrCreate(file())).isEqualTo(made);

    assertThat(permissions()).isEqualTo("rw-------");
    assertThat(output).contains(file().toString(), permissions, "Delete the file");
    assertThat(output).doesNotContain(made.toHex());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "000102030405060708090a0b0c0d0e", "squeamish ossifrage", "\u00ff\u0000"})
  void whatIsNoSecretIsReplaced(String text, CapturedOutput output) throws IOException {
    Files.writeString(file(), text);

    HashSecret made = SecretFile.readOrCreate(file());

    assertThat(SecretFile.readOrCreate(file())).isEqualTo(made);
    assertThat(output).contains("holds no hash secret").doesNotContain("ossifrage");
  }

  @Test
  void aFileOfAnySizeIsNotReadAsASecret() throws IOException {
    Files.write(file(), new byte[1 << 20]);
    SecretFile.readOrCreate(file());
    assertThat(Files.size(file())).isEqualTo(33);
  }

  @Test
  void aSecretThatAnOperatorPutThereIsTaken() throws IOException {
    Files.writeString(file(), "  000102030405060708090a0b0c0d0e0f\n");
    assertThat(SecretFile.readOrCreate(file()))
        .isEqualTo(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
  }

  @Test
  void aDirectoryIsNoSecret() throws IOException {
    Files.createDirectory(file());
    Files.createFile(file().resolve("full"));
    assertThatThrownBy(() -> SecretFile.readOrCreate(file())).isInstanceOf(IOException.class);
  }

  private Path file() {
    return directory.resolve("items.snapshot.secret");
  }

  private String permissions() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file()));
  }
}

package io.bloomguard.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A key and its self-signed certificate for 127.0.0.1, as PEM files, made by the keytool of the
 * running JDK.
 *
 * @param key the private key, in PKCS #8
 * @param certificate the certificate, which is its own authority
 */
public record TestCertificate(Path key, Path certificate) {

  private static final String PASSWORD = "changeit";

  /** A new pair in that directory. */
  public static TestCertificate in(Path directory, String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    keytool(store, name);
    KeyStore keys = read(store);
    byte[] key = keys.getKey(name, PASSWORD.toCharArray()).getEncoded();
    return new TestCertificate(
        pem(directory.resolve(name + ".key"), "PRIVATE KEY", key),
        pem(
            directory.resolve(name + ".crt"),
            "CERTIFICATE",
            keys.getCertificate(name).getEncoded()));
  }

  /**
   * The settings of a Redis that has it.
   *
   * @param ofClients whether its clients must show it too
   */
  public List<String> redisSettings(int tlsPort, boolean ofClients) {
    return List.of(
        "tls-port " + tlsPort,
        "tls-cert-file " + certificate,
        "tls-key-file " + key,
        "tls-ca-cert-file " + certificate,
        "tls-auth-clients " + (ofClients ? "yes" : "no"));
  }

  private static void keytool(Path store, String name) throws Exception {
    Path log = store.resolveSibling(name + ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=IP:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException("keytool failed: " + Files.readString(log));
    }
  }

  private static KeyStore read(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static Path pem(Path file, String type, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }
}

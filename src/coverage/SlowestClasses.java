import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The ten test classes of a build that took longest, printed at its end. */
final class SlowestClasses {

  private static final int SHOWN = 10;

  private record TestClass(String name, int tests, double seconds) {}

  private SlowestClasses() {}

  /**
   * @param args the root of the repository, and the instant when the build began: older reports are
   *     left out
   */
  public static void main(String[] args) throws IOException, XMLStreamException {
    List<TestClass> classes = new ArrayList<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(Path.of(args[0], "src"))) {
      for (Path module : modules) {
        classes.addAll(read(module.resolve("target/surefire-reports"), Instant.parse(args[1])));
      }
    }
    classes.sort(Comparator.comparingDouble(TestClass::seconds).reversed());
    double sum = classes.stream().mapToDouble(TestClass::seconds).sum();
    System.out.printf(
        "%d test classes took %.0f s one by one. The slowest:%n", classes.size(), sum);
    for (TestClass shown : classes.subList(0, Math.min(SHOWN, classes.size()))) {
      System.out.printf("%8.1f s  %s (%d)%n", shown.seconds(), shown.name(), shown.tests());
    }
  }

  private static List<TestClass> read(Path folder, Instant begin)
      throws IOException, XMLStreamException {
    List<TestClass> classes = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return classes;
    }
    try (DirectoryStream<Path> reports = Files.newDirectoryStream(folder, "TEST-*.xml")) {
      for (Path report : reports) {
        if (!Files.getLastModifiedTime(report).toInstant().isBefore(begin)) {
          classes.add(read(report));
        }
      }
    }
    return classes;
  }

  private static TestClass read(Path report) throws IOException, XMLStreamException {
    try (InputStream input = Files.newInputStream(report)) {
      XMLStreamReader suite = XMLInputFactory.newFactory().createXMLStreamReader(input);
      suite.nextTag();
      return new TestClass(
          suite.getAttributeValue(null, "name"),
          Integer.parseInt(suite.getAttributeValue(null, "tests")),
          Double.parseDouble(suite.getAttributeValue(null, "time")));
    }
  }
}

package io.bloomguard.it.helm;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The project's chart, linted and rendered by Helm itself. */
final class Chart {

  static final Path DIRECTORY = Path.of(System.getProperty("it.chart"));

  /** The oldest Kubernetes that the chart is for. */
  private static final String KUBERNETES = "1.30.0";

  private static final String RELEASE = "shop";

  /** A copy to render from. Helm leaves hooks out of what it renders; here the test is none. */
  private static final Path RENDERED = withoutHooks();

  static {
    Cluster.start();
  }

  private Chart() {}

  /** The example values, each a file of its own. */
  static List<Path> examples() {
    try (Stream<Path> files = Files.list(DIRECTORY.resolve("ci"))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The manifests for the chart's own values. */
  static Manifests render() {
    return new Manifests(template(RENDERED).call());
  }

  /** The manifests for the chart's values overlaid with those of a file. */
  static Manifests render(Path values) {
    return render(RENDERED, values);
  }

  /** The manifests for the chart's values overlaid with some in YAML. */
  static Manifests render(String values) {
    return render(RENDERED, values);
  }

  /** The same for a chart elsewhere, packed or not. */
  static Manifests render(Path chart, String values) {
    return render(template(chart), values);
  }

  /** The manifests of a release of that name. */
  static Manifests renderAs(String release, String values) {
    return render(template(RENDERED).withName(release), values);
  }

  private static Manifests render(TemplateCommand template, String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      try {
        Files.writeString(file, values);
        return new Manifests(template.withValuesFile(file).call());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a strict lint of a copy of the chart says whose own values are overlaid with a file's. */
  static LintResult lint(Path values, Path scratch) throws IOException {
    copyTo(scratch);
    Path own = scratch.resolve("values.yaml");
    Files.writeString(own, new Yaml().dump(overlay(yaml(own), yaml(values))));
    return new Helm(scratch).lint().strict().call();
  }

  /** What Helm tells who installs the chart. */
  static String notes(Path values) {
    String output =
        new Helm(DIRECTORY)
            .install()
            .clientOnly()
            .dryRun()
            .withKubeVersion(KUBERNETES)
            .withName(RELEASE)
            .withNamespace("guards")
            .withValuesFile(values)
            .call()
            .getOutput();
    return output.substring(output.indexOf("NOTES:"));
  }

  static Map<String, Object> yaml(Path file) {
    try {
      Map<String, Object> map = new Yaml().load(Files.readString(file));
      return map;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path withoutHooks() {
    try {
      Path copy = Path.of("target", "chart");
      copyTo(copy);
      Path test = copy.resolve("templates/tests/service.yaml");
      String text = Files.readString(test);
      Files.writeString(test, text.replace("helm.sh/hook: test", "example.org/hook: test"));
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies the chart, and in place of its links what they point to. */
  static void copyTo(Path target) throws IOException {
    try (Stream<Path> files = Files.walk(DIRECTORY)) {
      for (Path file : files.toList()) {
        Path copy = target.resolve(DIRECTORY.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.write(copy, Files.readAllBytes(file));
        }
      }
    }
  }

  private static Manifests render(Path chart, Path values) {
    return new Manifests(template(chart).withValuesFile(values).call());
  }

  private static TemplateCommand template(Path chart) {
    return new Helm(chart)
        .template()
        .withKubeVersion(KUBERNETES)
        .withName(RELEASE)
        .withNamespace("guards");
  }

  private static Map<String, Object> overlay(Map<String, Object> base, Map<String, Object> top) {
    Map<String, Object> merged = new LinkedHashMap<>(base);
    top.forEach((key, value) -> merged.merge(key, value, Chart::overlay));
    return merged;
  }

  @SuppressWarnings("unchecked")
  private static Object overlay(Object base, Object top) {
    return base instanceof Map && top instanceof Map
        ? overlay((Map<String, Object>) base, (Map<String, Object>) top)
        : top;
  }
}

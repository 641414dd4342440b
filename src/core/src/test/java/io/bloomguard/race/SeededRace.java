package io.bloomguard.race;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.ModuleSources;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * A race that the library does not have: a text of one of its sources, and the text in its place. A
 * test that runs with the class made of it must fail, or it proves nothing.
 *
 * @param name what is wrong
 * @param test the simple name of the test that must find it
 * @param file the source, below its module's {@code src/main/java}
 * @param changes what stands there exactly once, and what in its place
 */
record SeededRace(String name, String test, String file, Map<String, String> changes) {

  @Override
  public String toString() {
    return test + ": " + name;
  }

  /** The races of the file {@code seeded-races.txt} beside a class. */
  static List<SeededRace> beside(Class<?> type) throws IOException {
    String text;
    try (InputStream in = type.getResourceAsStream("seeded-races.txt")) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    List<SeededRace> races = new ArrayList<>();
    for (String block : text.split("(?m)^=== ")) {
      if (!block.startsWith("#")) {
        String[] lines = block.stripTrailing().split("\n", 4);
        Map<String, String> changes = new LinkedHashMap<>();
        for (String change : lines[3].split("\n\\+\\+\\+\n")) {
          String[] texts = change.split("\n---\n", 2);
          changes.put(texts[0], texts[1]);
        }
        races.add(
            new SeededRace(
                lines[0], after("test: ", lines[1]), after("file: ", lines[2]), changes));
      }
    }
    return List.copyOf(races);
  }

  private static String after(String label, String line) {
    if (!line.startsWith(label)) {
      throw new IllegalArgumentException("Not '" + label + "': " + line);
    }
    return line.substring(label.length());
  }

  /** The source with the race in it. */
  String source() throws IOException {
    String source = Files.readString(ModuleSources.main(file));
    for (Map.Entry<String, String> change : changes.entrySet()) {
      String[] around = source.split(Pattern.quote(change.getKey()), -1);
      if (around.length != 2) {
        throw new IllegalStateException("Not once in " + file + ": " + change.getKey());
      }
      source = around[0] + change.getValue() + around[1];
    }
    return source;
  }

  /** Compiles it into a folder that comes first on the class path of a run. */
  void compileInto(Path folder) throws IOException {
    Path copy = folder.resolve(file);
    Files.createDirectories(copy.getParent());
    Files.writeString(copy, source());
    String[] arguments = {
      "-proc:none", "-nowarn", "-implicit:none", "-cp", classPath(), "-d", folder + "", copy + ""
    };
    if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments) != 0) {
      throw new IllegalStateException("The race does not compile: " + this);
    }
  }

  /** The class path of this process. */
  static String classPath() {
    return System.getProperty("java.class.path");
  }
}

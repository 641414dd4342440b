package io.bloomguard.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A mistake in the library that nobody made: a text of one of its sources, and what stands there
 * instead.
 *
 * @param name what is wrong
 * @param file the source, below the library's folder of sources
 * @param find stands there exactly once
 * @param faults the names of the faults that should bring it to light
 */
record SeededBug(String name, String file, String find, String replace, Pattern faults) {

  private static final String LIST = "/seeded-bugs.txt";

  /** The list: blocks of {@code bug, file, faults, find, replace}, each begun by such a line. */
  static List<SeededBug> all() throws IOException {
    String text;
    try (InputStream in = SeededBug.class.getResourceAsStream(LIST)) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    List<SeededBug> bugs = new ArrayList<>();
    for (String block : text.split("(?m)^=== ")) {
      if (!block.isBlank() && !block.startsWith("#")) {
        bugs.add(parse(block));
      }
    }
    return bugs;
  }

  private static SeededBug parse(String block) {
    String[] lines = block.split("\n", 4);
    int middle = lines[3].indexOf("\n---\n");
    if (middle < 0) {
      throw new IllegalArgumentException("No line of dashes in: " + block);
    }
    String replace = lines[3].substring(middle + 5).stripTrailing();
    return new SeededBug(
        lines[0].strip(),
        after("file: ", lines[1]),
        lines[3].substring(0, middle),
        replace,
        Pattern.compile(after("faults: ", lines[2])));
  }

  private static String after(String label, String line) {
    if (!line.startsWith(label)) {
      throw new IllegalArgumentException("Not '" + label + "': " + line);
    }
    return line.substring(label.length()).strip();
  }

  /** The source with the bug in it. */
  String seededInto(String source) {
    int at = source.indexOf(find);
    if (at < 0 || source.indexOf(find, at + 1) >= 0) {
      throw new IllegalStateException(
          "The text of the bug '"
              + name
              + "' stands "
              + (at < 0 ? "not" : "twice")
              + " in "
              + file);
    }
    return source.substring(0, at) + replace + source.substring(at + find.length());
  }
}

package io.bloomguard.it.console;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** A picture of a page with at most 256 colours, which takes a third of the space. */
final class Picture {

  private static final int COLOURS = 256;

  /** The three highest bits of each component. */
  private static final int KIND = 0xe0e0e0;

  private Picture() {}

  /** Writes a picture, whose rare colours become the nearest of the frequent ones. */
  static void write(byte[] png, Path file) throws IOException {
    BufferedImage picture = ImageIO.read(new ByteArrayInputStream(png));
    int width = picture.getWidth();
    int height = picture.getHeight();
    int[] pixels = picture.getRGB(0, 0, width, height, null, 0, width);
    int[] palette = palette(pixels);
    IndexColorModel model =
        new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE);
    BufferedImage indexed =
        new BufferedImage(width, height, BufferedImage.TYPE_BYTE_INDEXED, model);
    Map<Integer, Integer> known = new HashMap<>();
    for (int i = 0; i < pixels.length; i++) {
      int index = known.computeIfAbsent(pixels[i], pixel -> nearest(palette, pixel));
      indexed.getRaster().setSample(i % width, i / width, 0, index);
    }
    ImageIO.write(indexed, "png", file.toFile());
  }

  private static int[] palette(int[] pixels) {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int pixel : pixels) {
      counts.merge(pixel, 1, Integer::sum);
    }
    List<Integer> frequent =
        counts.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .map(Map.Entry::getKey)
            .toList();
    // First one of each kind, or the many shades of grey of a text would leave no room for a line.
    Map<Integer, Integer> kinds = new LinkedHashMap<>();
    frequent.forEach(colour -> kinds.putIfAbsent(colour & KIND, colour));
    return Stream.concat(kinds.values().stream(), frequent.stream())
        .distinct()
        .limit(COLOURS)
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static int nearest(int[] palette, int pixel) {
    int best = 0;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < palette.length; i++) {
      int distance = 0;
      for (int shift = 0; shift < 24; shift += 8) {
        int difference = (palette[i] >> shift & 0xff) - (pixel >> shift & 0xff);
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
}

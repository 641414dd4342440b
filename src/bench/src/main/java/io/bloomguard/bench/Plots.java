package io.bloomguard.bench;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.StandardChartTheme;
import org.jfree.chart.axis.AxisSpace;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.LogarithmicAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.xy.DefaultXYDataset;

/** Draws the plots of a suite as SVG. */
final class Plots {

  private static final int WIDTH = 800;
  private static final int HEIGHT = 360;

  /** What each panel beyond the first adds to the height. */
  private static final int PANEL = 130;

  private static final String CONTESTANT = "contestant";
  private static final String OURS = "bloomguard";

  /** The room for names beside bars. */
  private static final int NAMES = 230;

  /** The room for the figure behind the longest bar, as a share of the axis. */
  private static final double ROOM_FOR_FIGURE = 0.1;

  // Blue is ours, which comes first; the others are told apart by the colour-blind too (Okabe-Ito).
  private static final List<Color> COLOURS =
      List.of(
          new Color(0x0072b2),
          new Color(0xe69f00),
          new Color(0x009e73),
          new Color(0xcc79a7),
          new Color(0x56b4e9),
          new Color(0xd55e00),
          new Color(0x999999));

  /** A browser's font is wider than the one that the names are measured by. */
  private static final RectangleInsets LONG_NAMES = new RectangleInsets(2, 2, 2, 60);

  private static final BasicStroke GRID = new BasicStroke(0.5f);

  private Plots() {}

  /** Draws one plot; returns false if there is nothing in it. */
  static boolean draw(SuiteResult result, Suite.Plot plot, Path file) throws IOException {
    List<Map<String, Object>> rows =
        result.where(plot.where()).stream()
            .filter(row -> row.get(plot.of()[0]) instanceof Number)
            .toList();
    if (rows.isEmpty()) {
      return false;
    }
    JFreeChart chart =
        new JFreeChart(
            plot.title(), JFreeChart.DEFAULT_TITLE_FONT, drawn(rows, plot), !plot.horizontal());
    StandardChartTheme.createJFreeTheme().apply(chart);
    style(chart);
    write(chart, file, HEIGHT + (plot.of().length - 1) * PANEL);
    return true;
  }

  private static org.jfree.chart.plot.Plot drawn(List<Map<String, Object>> rows, Suite.Plot plot) {
    if (plot.horizontal()) {
      return namedBars(rows, plot);
    }
    if (plot.of().length > 1) {
      return panels(rows, plot);
    }
    return plot.against().isEmpty() ? bars(rows, plot) : lines(rows, plot, plot.of()[0]);
  }

  /**
   * A bar for each contestant beside its name: ours in the first colour, the others in the next.
   */
  private static CategoryPlot namedBars(List<Map<String, Object>> rows, Suite.Plot plot) {
    DefaultCategoryDataset figures = new DefaultCategoryDataset();
    for (Map<String, Object> row : rows) {
      figures.addValue(number(row, plot.of()[0]), plot.of()[0], contestant(row));
    }
    BarRenderer renderer =
        new BarRenderer() {
          @Override
          public Paint getItemPaint(int row, int column) {
            boolean ours = String.valueOf(figures.getColumnKey(column)).startsWith(OURS);
            return COLOURS.get(ours ? 0 : 1);
          }
        };
    label(renderer);
    renderer.setDefaultPositiveItemLabelPosition(
        new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
    ValueAxis values = axis(plot.logarithmic());
    values.setUpperMargin(ROOM_FOR_FIGURE);
    CategoryPlot bars = new CategoryPlot(figures, new CategoryAxis(), values, renderer);
    bars.setOrientation(PlotOrientation.HORIZONTAL);
    AxisSpace space = new AxisSpace();
    space.setLeft(NAMES);
    bars.setFixedDomainAxisSpace(space);
    return bars;
  }

  /** A group of bars for each of the circumstances, one bar for each contestant. */
  private static CategoryPlot bars(List<Map<String, Object>> rows, Suite.Plot plot) {
    List<String> labels = SuiteResult.varying(rows, Set.of(CONTESTANT, "unit"));
    DefaultCategoryDataset figures = new DefaultCategoryDataset();
    for (Map<String, Object> row : rows) {
      figures.addValue(number(row, plot.of()[0]), contestant(row), label(row, labels));
    }
    BarRenderer renderer = new BarRenderer();
    label(renderer);
    renderer.setItemMargin(0);
    return new CategoryPlot(figures, new CategoryAxis(), axis(plot.logarithmic()), renderer);
  }

  /** Plain bars that bear their figures. */
  private static void label(BarRenderer renderer) {
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setDefaultItemLabelsVisible(true);
    renderer.setDefaultItemLabelGenerator(
        new StandardCategoryItemLabelGenerator() {
          @Override
          public String generateLabel(CategoryDataset bars, int row, int column) {
            Number figure = bars.getValue(row, column);
            return figure == null ? "" : TextTable.significant(figure.doubleValue());
          }
        });
  }

  /** Lines of each column above those of the next. */
  private static XYPlot panels(List<Map<String, Object>> rows, Suite.Plot plot) {
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(new NumberAxis(plot.against()));
    for (String of : plot.of()) {
      XYPlot panel = lines(rows, plot, of);
      panel.getRangeAxis().setLabel(of);
      panel.getRangeAxis().setLabelAngle(Math.PI / 2);
      panel.setRenderer(new XYLineAndShapeRenderer(true, false));
      if (!panels.getSubplots().isEmpty()) {
        panel.setFixedLegendItems(new LegendItemCollection());
      }
      panels.add(panel);
    }
    return panels;
  }

  /** A line for each contestant and whatever else varies. */
  private static XYPlot lines(List<Map<String, Object>> rows, Suite.Plot plot, String of) {
    // The contestant too, or a line would have no name.
    List<String> labels =
        Stream.concat(
                Stream.of(CONTESTANT),
                SuiteResult.varying(rows, Set.of(CONTESTANT, plot.against(), "unit")).stream())
            .toList();
    Map<String, List<Map<String, Object>>> series =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    row -> label(row, labels), LinkedHashMap::new, Collectors.toList()));
    DefaultXYDataset figures = new DefaultXYDataset();
    series.forEach(
        (name, points) ->
            figures.addSeries(
                name,
                new double[][] {
                  points.stream().mapToDouble(point -> number(point, plot.against())).toArray(),
                  points.stream().mapToDouble(point -> number(point, of)).toArray()
                }));
    ValueAxis x = axis(true);
    x.setLabel(plot.against());
    return new XYPlot(figures, x, axis(plot.logarithmic()), new XYLineAndShapeRenderer());
  }

  private static ValueAxis axis(boolean logarithmic) {
    return logarithmic ? new LogarithmicAxis(null) : new NumberAxis();
  }

  private static void style(JFreeChart chart) {
    chart.setBackgroundPaint(Color.WHITE);
    chart.getTitle().setFont(chart.getTitle().getFont().deriveFont(14f));
    blank(chart.getPlot());
    if (chart.getPlot() instanceof CombinedDomainXYPlot panels) {
      panels.getSubplots().forEach(Plots::style);
      chart.getLegend().setItemLabelPadding(LONG_NAMES);
    } else if (chart.getPlot() instanceof XYPlot plot) {
      style(plot);
    } else if (chart.getPlot() instanceof CategoryPlot plot) {
      plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
      plot.setRangeGridlineStroke(GRID);
      if (plot.getOrientation() == PlotOrientation.HORIZONTAL) {
        plot.getDomainAxis().setTickLabelFont(chart.getTitle().getFont().deriveFont(0, 11f));
      }
      plot.getRenderer().setDefaultItemLabelFont(chart.getTitle().getFont().deriveFont(0, 9f));
      for (int i = 0; i < plot.getDataset().getRowCount(); i++) {
        plot.getRenderer().setSeriesPaint(i, COLOURS.get(i % COLOURS.size()));
      }
    }
  }

  private static void style(XYPlot plot) {
    blank(plot);
    plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
    plot.setDomainGridlineStroke(GRID);
    plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
    plot.setRangeGridlineStroke(GRID);
    for (int i = 0; i < plot.getSeriesCount(); i++) {
      plot.getRenderer().setSeriesPaint(i, COLOURS.get(i % COLOURS.size()));
      plot.getRenderer().setSeriesStroke(i, new BasicStroke(2));
    }
  }

  private static void blank(org.jfree.chart.plot.Plot plot) {
    plot.setBackgroundPaint(Color.WHITE);
    plot.setOutlineVisible(false);
  }

  private static void write(JFreeChart chart, Path file, int height) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    new SVGProcessor()
        .getDocument(graphics.getCommands(), new PageSize(WIDTH, height))
        .writeTo(svg);
    // The writer names no font where it is Java's default, and then a browser takes its own.
    String text = svg.toString(StandardCharsets.UTF_8);
    Files.writeString(file, text.replaceFirst("<svg ", "<svg font-family=\"sans-serif\" "));
  }

  private static String contestant(Map<String, Object> row) {
    return String.valueOf(row.get(CONTESTANT));
  }

  private static double number(Map<String, Object> row, String column) {
    return Double.parseDouble(String.valueOf(row.get(column)));
  }

  private static String label(Map<String, Object> row, List<String> columns) {
    return columns.stream()
        .map(column -> String.valueOf(row.get(column)))
        .collect(Collectors.joining(", "));
  }
}

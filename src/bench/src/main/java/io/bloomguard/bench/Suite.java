package io.bloomguard.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What the pages say of a benchmark class or a {@link FigureTable}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Suite {

  String title();

  /** What is measured and how, in Markdown. */
  String text() default "";

  /** What the short page says of it; a suite without it is on the site alone. */
  String brief() default "";

  /** The rows that the short page shows, as {@code column=value}. */
  String[] shown() default {};

  /** The columns that the short page shows; without any, the rows are a line of ratios. */
  String[] columns() default {};

  /** The parameter that is the number of keys of one operation; figures are then for each key. */
  String per() default "";

  /** Where the section stands on the pages: ascending, then by the name of the class. */
  int order() default 100;

  Plot[] plots() default {};

  /** A plot of some of the rows: bars for each contestant, or lines over a number. */
  @interface Plot {

    String title();

    /** The rows that are shown, as {@code column=value}. */
    String[] where() default {};

    /** The column that has the lines' abscissa, on a logarithmic axis; empty for bars. */
    String against() default "";

    /**
     * The column that has the ordinate. Lines of several have a panel for each, one above the
     * other, and linear axes.
     */
    String[] of() default "median";

    /** Whether the ordinate is logarithmic. */
    boolean logarithmic() default false;

    /** Whether the bars lie, one for each contestant, beside its name. */
    boolean horizontal() default false;
  }
}

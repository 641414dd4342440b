package io.bloomguard.bench;

import java.util.List;
import java.util.Map;

/** Figures that are no times: counted or computed, not measured by JMH. */
interface FigureTable {

  /** The rows, each from column to value: text or number. */
  List<Map<String, Object>> rows();
}

// The type of config/grafana/bloomguard.json: Grafana's own, with what it leaves open pinned to the panels and the queries
// that are used.
import type { Dashboard as AnyDashboard, DataQuery, DataSourceRef, Panel, RowPanel } from '@grafana/schema';
import type { FieldConfig, Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type {
  FieldConfig as TimelineFieldConfig,
  Options as TimelineOptions,
} from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';

/** T as JSON writes it: the constants of an enum of strings are their text. */
type Json<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;

type Query = DataQuery & { refId: string; datasource: DataSourceRef; expr: string; legendFormat: string };

type Drawn<Type, PanelOptions, Custom> = Omit<Panel, 'type' | 'options' | 'targets' | 'fieldConfig'> & {
  type: Type;
  title: string;
  description: string;
  options: PanelOptions;
  fieldConfig: NonNullable<Panel<PanelOptions, Custom>['fieldConfig']>;
  targets: Query[];
};

type OurPanel =
  | RowPanel
  | Drawn<'timeseries', Options, FieldConfig>
  | Drawn<'stat', StatOptions, object>
  | Drawn<'state-timeline', TimelineOptions, TimelineFieldConfig>;

export type Dashboard = Json<Omit<AnyDashboard, 'panels'> & { panels: OurPanel[] }>;

// The type refuses what Grafana does not know.
// @ts-expect-error
export const refused: OurPanel = { type: 'graph', title: '', description: '', options: {}, targets: [] };

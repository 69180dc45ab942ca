// What a view is given: an experiment's name and the refinements kept in the
// address (or, in a report, beside it).
export type Query = Record<string, string>;
export type Refine = (change: Record<string, string | undefined>) => void;

export interface ViewProps {
  name: string;
  query: Query;
  refine: Refine;
}

package perfql
import ("testing";"time";"database/sql";"auspex/fuzzy";"syscall";"os")
func TestZZ(t *testing.T){
 db,_:=sql.Open("duckdb",""); defer db.Close()
 e:=testExperiment("a"); e.Values="read_parquet('/tmp/perfql/values.parquet')"; e.Regions="read_parquet('/tmp/perfql/regions.parquet')"; e.Units="read_parquet('/tmp/perfql/units.parquet')"
 cpu:=func() time.Duration { var u syscall.Rusage; syscall.Getrusage(0,&u); return time.Duration(u.Utime.Nano()+u.Stime.Nano()) }
 for _, s := range []string{
  "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS) BY summary WITH DEGREE > 0.3 LIMIT 20",
  "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS) BY summary LIMIT 20",
  "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM is S(5e5,1e6)) BY summary LIMIT 20",
  "(wtime is very high) OR (L2_TCM is S(1e5,1e6)) BY summary LIMIT 20",
  "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS)",
  "wtime is high BY summary WHERE region ~ '*f12' LIMIT 5",
 }{
  q,err:=Parse(s); if err!=nil{t.Fatal(err)}
  p,err:=Compile(q,fuzzy.Shipped(),fuzzy.Minimum,[]*Experiment{e}); if err!=nil{t.Fatal(err)}
  for range 3 { a,c:=time.Now(),cpu()
  rows,err:=db.Query(p.SQL); if err!=nil{t.Fatal(err)}
  n:=0; for rows.Next(){n++}; rows.Close()
  t.Log(n, time.Since(a), "cpu", cpu()-c, s) }
  if os.Getenv("EXPLAIN")!="" { rows,err:=db.Query("EXPLAIN ANALYZE "+p.SQL); if err!=nil{t.Fatal(err)}; for rows.Next(){var a,b string; rows.Scan(&a,&b); t.Log(b)}; rows.Close()}
 }
}

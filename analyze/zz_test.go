package analyze
import ("testing";"fmt";"context";"math/rand/v2";"time";"auspex/model")
func synth(units, regions int, f func(r *rand.Rand,u,g int) float64) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: "x", Runs: 1}}
	for u := range units { e.Units = append(e.Units, model.Unit{Process: u}) }
	for r := range regions { p:=0; if r==0 {p=-1}; e.Regions = append(e.Regions, model.Region{Name: fmt.Sprint("r", r), Kind: model.Function, Parent: p}) }
	e.Metrics = append(e.Metrics, model.NewMetric(model.CPUTime, "", model.Exclusive), model.NewMetric(model.Instructions, "", model.Exclusive))
	s := &e.Summaries; s.Values = make([][]float64, 2)
	rnd := rand.New(rand.NewPCG(1, 2))
	for u := range units { for r := range regions {
		s.Unit = append(s.Unit, int32(u)); s.Region = append(s.Region, int32(r))
		v:=f(rnd,u,r)
		s.Values[0]=append(s.Values[0],v); s.Values[1]=append(s.Values[1],v*2e9*(0.99+.02*rnd.Float64()))
	}}
	return e
}
func TestZZ(t *testing.T){
 n:=100000
 for _,x:=range []struct{name string; f func(r *rand.Rand,u,g int) float64}{
  {"kinds6wide", func(r *rand.Rand,u,g int) float64{ if g==7 {return float64(40+40*(u%6))*(.99+.02*r.Float64())}; return 1+.02*r.Float64()}},
  {"kinds6together", func(r *rand.Rand,u,g int) float64{ if g>0&&g<=8 {return float64(40+40*(u%6))*(.99+.02*r.Float64())}; return 1+.02*r.Float64()}},
  {"cont", func(r *rand.Rand,u,g int) float64{ if g==3 {return 40+ 100*r.Float64()}; return 1}},
  {"noise5", func(r *rand.Rand,u,g int) float64{ return 1+.1*r.Float64()}},
  {"alldiff5", func(r *rand.Rand,u,g int) float64{ if g>0&&g<=5 {return 100*r.Float64()}; return .1}},
  {"alldiff200", func(r *rand.Rand,u,g int) float64{ return 100*r.Float64()}},
 }{
 d:=dataset(t,synth(n,200,x.f)); t0:=time.Now()
 ctx,c:=context.WithTimeout(context.Background(),100*time.Second)
 y,err:=Diagnose(ctx,d,ShippedWords(),DiagnoseOptions{}); c()
 if err!=nil{ fmt.Println(n,x.name,err,time.Since(t0)); continue}
 fmt.Println(n,x.name,time.Since(t0),"kinds",len(y.Kinds),"S",y.Severity,y.Continuum,y.Scattered,y.CCCR[:min(5,len(y.CCCR))],y.Warnings)
 }
}

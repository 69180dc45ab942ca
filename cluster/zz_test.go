package cluster
import ("testing";"time";"fmt";"math";"math/rand/v2";"runtime")
func run(t *testing.T,name string,p Points,mp int,eps float64){
 t0:=time.Now(); o,err:=Optics(t.Context(),p,Options{MinPts:mp,Eps:eps}); if err!=nil{t.Fatal(err)}
 var m runtime.MemStats; runtime.ReadMemStats(&m)
 fmt.Printf("%s n=%d dim=%d eps=%v: %.2fs exact=%v sys=%dMB\n",name,p.N,p.Dim,eps,time.Since(t0).Seconds(),o.Exact,m.Sys>>20)
}
func TestZZ(t *testing.T){
 rng:=rand.New(rand.NewPCG(1,1))
 run(t,"blobs inf",cloud(rng,20000,20,1),5,math.Inf(1))
}

package cluster
import ("testing";"syscall";"time";"fmt")
func TestZZCPU(t *testing.T){
 p,_:=planted(30000,20,6,1)
 cpu:=func() float64 { var r syscall.Rusage; syscall.Getrusage(0,&r); return float64(r.Utime.Sec)+float64(r.Utime.Usec)/1e6 }
 best,bw:=1e9,1e9
 for range 5 { c0:=cpu(); t0:=time.Now(); o,err:=Optics(t.Context(),p,Options{MinPts:5,Eps:10}); if err!=nil{t.Fatal(err)}; _=o.At(10)
  best=min(best,cpu()-c0); bw=min(bw,time.Since(t0).Seconds()) }
 fmt.Printf("cpu %.3f wall %.3f\n",best,bw)
}

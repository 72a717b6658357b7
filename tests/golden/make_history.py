#!/usr/bin/env python3
"""Reference values for verdicts on histories: a second implementation of the procedure, in numpy and numba.

It was written first, from the method description; beyondnoise_stats::history was written from it in another language.
Series of all kinds of the promise, with and without a change, go through `analyze`; what it finds stands
in history.json.

Made with   Python 3.11, numpy, numba   (the versions used are in history.json)
How to run  python3 -m venv env && env/bin/pip install numpy numba && env/bin/python make_history.py
            (writes history.json beside this file; a minute, one core)
"""
import json
import math
import os
import platform

import numba
import numpy as np
from numba import njit

GRID = np.array([3,4,5,7,10,14,20,28,40,56,80,112,160,224,320])
THR  = 4.2          # threshold of the contrast
RATIO_END=1.35; RATIO= 1.8         # and this many times the largest contrast of equal length in the rest of the series (short windows)
MINW = 3            # fewest nights on a side
MINLONG=8           # fewest nights on the reference side
RHOMAX = 0.95

@njit
def med(a):
    b=np.sort(a); n=len(b)
    return 0.5*(b[(n-1)//2]+b[n//2])

@njit
def noise(y, zn, nug, kmax=10):
    """step 2: robust variogram -> sigma (marginal sd of one night), rho, f (share of white noise), rho moved up by zn se.
    V_k = mean clip(d_k)^2 = 2 sigma^2 (1-(1-f) rho^k)"""
    n=len(y); K=min(kmax,max(3,n//6))
    V=np.empty(K)
    for k in range(1,K+1):
        d=np.empty(n-k)
        for i in range(n-k): d[i]=abs(y[i+k]-y[i])
        s=med(d)*1.4826
        if s<=0: s=np.mean(d)+1e-12
        c=2.5*s; t=0.0
        for i in range(n-k):
            e=min(d[i],c); t+=e*e
        V[k-1]=t/(n-k)/0.9556   # E min(Z^2,6.25)
    best=1e300; br=0.0; bA=V.mean(); bf=0.0
    for jf in range(0,nug+1):
        f=jf/10.0
        for j in range(0,48):
            r=j/50.0
            if jf>0 and (r<0.5): continue
            sw=0.0; sl=0.0; q=0.0
            rk=1.0
            for k in range(1,K+1):
                rk*=r; w=1.0/(1.0+0.3*(k-1)); sw+=w; sl+=w*math.log(V[k-1]/(1.0-(1-f)*rk))
            m=sl/sw; rk=1.0
            for k in range(1,K+1):
                rk*=r; w=1.0/(1.0+0.3*(k-1)); u=math.log(V[k-1]/(1.0-(1-f)*rk))-m; q+=w*u*u
            q=q/sw+ (0.3/n if jf>0 else 0.0)
            if q<best-1e-12: best=q; br=r; bA=math.exp(m); bf=f
    se=1.4*math.sqrt((1.0-br*br)/n)
    ru=min(RHOMAX,br+zn*se)
    return math.sqrt(bA/2.0), br, bf, ru

@njit
def vmean0(m,r):
    if r<1e-9: return 1.0/m
    return (m*(1-r*r)-2*r*(1-r**m))/((1-r)**2)/(m*m)
@njit
def vmean(m,r,f): return f/m+(1-f)*vmean0(m,r)
@njit
def ccov(a,b,r,f):
    if r<1e-9: return 0.0
    return (1-f)*r*(1-r**a)*(1-r**b)/((1-r)**2)/(a*b)

@njit
def loc(y,a,b,sg):
    """clipped mean of y[a:b] about its median (two rounds, clip 2.5 sd)"""
    m=med(y[a:b])
    for _ in range(2):
        t=0.0
        for i in range(a,b):
            e=y[i]-m; c=2.5*sg[i]
            if e>c: e=c
            elif e<-c: e=-c
            t+=e
        m+=t/(b-a)
    return m

@njit
def lowmean(x):
    """mean of the scores without the highest 30 % (rounded up): what the majority says"""
    b=np.sort(x); m=len(b); k=m-int(math.ceil(0.3*m))
    if k<1: k=1
    t=0.0
    for i in range(k): t+=b[i]
    return t/k

PRE=2.5; PRIOR=8.0; AGREE=1.5
@njit
def refvar(y,sg,a,b,L,c):
    q=0.0
    for i in range(a,b):
        e=(y[i]-L)/sg[i]; e=min(max(e,-c),c); q+=e*e
    return max(1.0,(PRIOR+q)/(PRIOR+b-a-1))
@njit
def refbase(y,sg,a,b,L,c,sign):
    x=np.empty(b-a)
    for i in range(a,b):
        e=(y[i]-L)/sg[i]; x[i-a]=sign*min(max(e,-c),c)
    return lowmean(x)

@njit
def clip_of(m,vm,thr):
    """two gross nights of m must not alarm; long windows are clipped at 3"""
    if m>=14: return 3.0
    c=0.75*thr*m*math.sqrt(vm)/2
    return min(5.0,max(3.0,c))

@njit
def scan(y,sg,lo,hi,rho,f,grid,thr,minlong,refmax):
    """step 4: Z[t,g] = largest contrast (sign kept) at t with a short side of grid[g] nights (last column: the whole side);
    W[t,g,:] its windows; Q[t,g]: the same with reference <= refmax nights only"""
    n=hi-lo; G=len(grid)
    P=np.zeros(n+1)
    for i in range(n): P[i+1]=P[i]+sg[lo+i]
    vm=np.ones(n+1); cl=np.ones(n+1)
    for m in range(1,n+1): 
        vm[m]=vmean(m,rho,f); cl[m]=clip_of(m,vm[m],thr)
    pw=np.ones(n+1); k0=0.0
    for m in range(1,n+1): pw[m]=pw[m-1]*rho
    if rho>1e-9: k0=2*(1-f)*rho/((1-rho)**2)
    Z=np.zeros((n+1,G+1)); Q=np.zeros((n+1,G+1)); W=np.zeros((n+1,G+1,2),np.int64)
    # prefilter: prefix sums of the scores about the segment's median, clipped at 5; locations are computed only where it passes
    M=med(y[lo:hi]); CS=np.zeros(n+1)
    for i in range(n):
        e=(y[lo+i]-M)/sg[lo+i]; CS[i+1]=CS[i]+min(max(e,-5.0),5.0)
    for t in range(MINW,n-MINW+1):
        for side in range(2):
            maxS=n-t if side==0 else t
            maxR=t if side==0 else n-t
            for b in range(G+1):           # reference window
                mr=grid[b] if b<G else maxR
                if mr>maxR or mr<minlong: continue
                L=np.nan; r2=1.0
                cref=(CS[t]-CS[t-mr])/mr if side==0 else (CS[t+mr]-CS[t])/mr
                sr=(P[t]-P[t-mr])/mr if side==0 else (P[t+mr]-P[t])/mr
                top=min(mr,maxS)
                for g in range(G+1):
                    m=grid[g] if g<G else maxS
                    if m>top or m<MINW: continue
                    if m>=20 and t%(m//8)!=0: continue      # long windows: a coarser step
                    if b<G and g<G and (mr>20*m or (m<20 and (b-g)%2==1 and mr>20)): continue   # references of m, 2m, 4m, 8m, 16m and the whole side
                    cs=(CS[t+m]-CS[t])/m if side==0 else (CS[t]-CS[t-m])/m
                    dv=vm[m]+vm[mr]-k0*(1-pw[m])*(1-pw[mr])/(m*mr)
                    if (cs-cref)**2<PRE*PRE*dv: continue
                    if np.isnan(L):
                        if side==0: L=loc(y,lo+t-mr,lo+t,sg); r2=refvar(y,sg,lo+t-mr,lo+t,L,3.0)
                        else: L=loc(y,lo+t,lo+t+mr,sg); r2=refvar(y,sg,lo+t,lo+t+mr,L,3.0)
                    S=0.0; c=cl[m]; SS=0.0
                    for k in range(m):
                        i=lo+t+k if side==0 else lo+t-1-k
                        e=(y[i]-L)/sg[i]
                        if e>c: e=c
                        elif e<-c: e=-c
                        S+=e; SS+=e*e
                    h2=max(1.0,(PRIOR+SS-S*S/m)/(PRIOR+m-1))
                    ss=(P[t+m]-P[t])/m if side==0 else (P[t]-P[t-m])/m
                    q=sr/ss
                    z=S/m/math.sqrt(h2*vm[m]+q*q*r2*vm[mr]-q*k0*(1-pw[m])*(1-pw[mr])/(m*mr))
                    if abs(z)>=0.9*thr:   # the majority of the short side must have moved too
                        x=np.empty(m)
                        for k in range(m):
                            i=lo+t+k if side==0 else lo+t-1-k
                            e=(y[i]-L)/sg[i]
                            x[k]=min(max(e,-c),c)*(1.0 if z>0 else -1.0)
                        sn=1.0 if z>0 else -1.0
                        base=refbase(y,sg,lo+t-mr,lo+t,L,c,sn) if side==0 else refbase(y,sg,lo+t,lo+t+mr,L,c,sn)
                        zt=AGREE*(lowmean(x)-base)/math.sqrt(h2*vm[m]+q*q*r2*vm[mr]-q*k0*(1-pw[m])*(1-pw[mr])/(m*mr))
                        if zt<abs(z): z=math.copysign(max(zt,0.0),z)
                    if side==1: z=-z
                    if abs(z)>abs(Z[t,g]):
                        Z[t,g]=z
                        if side==0: W[t,g,0]=lo+t-mr; W[t,g,1]=lo+t+m
                        else: W[t,g,0]=lo+t-m; W[t,g,1]=lo+t+mr
                    if mr<=refmax and abs(z)>Q[t,g]: Q[t,g]=abs(z)
    return Z,Q,W

@njit
def pick(Z,Q,W,lo,hi,grid,thr,ratio,ratio_end,refmax):
    """step 5: the contrast furthest over its own bar; bar = max(thr, ratio * largest contrast of that length elsewhere) for short windows"""
    n=hi-lo; G=len(grid); best=0.0; bt=-1; bl=0; bh=0; bz=0.0
    for g in range(G+1):
        for t in range(MINW,n-MINW+1):
            z=abs(Z[t,g])
            if z<0.5*thr or z/thr<=best: continue
            m=grid[g] if g<G else min(t,n-t)
            end=(m==t or m==n-t)
            rt=ratio_end if end else ratio
            bar=thr
            if m<=n//8 and z<7.0:
                gg=g
                if g==G:
                    gg=0
                    while gg<G-1 and grid[gg+1]<=m: gg+=1
                x=0.0; cnt=0
                for u in range(MINW,n-MINW+1):
                    if abs(u-t)>refmax+m:
                        cnt+=1
                        if Q[u,gg]>x: x=Q[u,gg]
                if cnt>=20 and rt*x>bar: bar=rt*x
                if not end and bar<1.15*thr: bar=1.15*thr
            if z/bar>best: best=z/bar; bt=t; bl=W[t,g,0]; bh=W[t,g,1]; bz=Z[t,g]
    return best,bz,lo+bt,bl,bh

@njit
def scale_scores(y):
    n=len(y); u=np.empty(n); nb=np.empty(4)
    for t in range(n):
        k=0
        for j in (-2,-1,1,2):
            i=t+j
            if i<0: i=t+5+j if t+5+j<n else t   # mirror at the ends
            if i>=n: i=t-5+j
            nb[k]=y[i]; k+=1
        s=np.sort(nb); e=abs(y[t]-0.5*(s[1]+s[2])); u[t]=e
    m=np.median(u)
    if m<=0: m=np.mean(u)+1e-12
    for t in range(n): u[t]=min(1.5,max(-2.0,math.log(u[t]/m+1e-12)))
    return u

@njit
def scale_scan(u,lo,hi,minw):
    """step 3: noise change: contrast of mean log|e| between adjacent windows; returns z, night, log ratio"""
    n=hi-lo; P=np.zeros(n+1)
    for i in range(n): P[i+1]=P[i]+u[lo+i]
    bz=0.0; bt=-1; br=0.0
    grid=np.array([10,14,20,28,40,56,80,112,160,224,320,9999])
    for t in range(minw,n-minw+1):
        for a in grid:
            m=min(a,t)
            if a!=9999 and a>t: continue
            for b in grid:
                q=min(b,n-t)
                if b!=9999 and b>n-t: continue
                d=(P[t+q]-P[t])/q-(P[t]-P[t-m])/m
                z=d/math.sqrt((1.0/m+1.0/q))
                if abs(z)>abs(bz): bz=z; bt=lo+t; br=d
    return bz,bt,br

SCALE_THR=4.4; SCALE_MIN=math.log(1.8); SCALE_SD=1.15
def scales(y):
    u=scale_scores(y); n=len(y); cps=[]; todo=[(0,n)]
    sd=max(SCALE_SD,1.05*np.std(u[1:]-u[:-1])/math.sqrt(2)); bar=SCALE_THR+0.4*math.log(max(1.0,n/120))
    while todo:
        a,b=todo.pop()
        if b-a<24: continue
        z,t,r=scale_scan(u,a,b,10)
        if t<0: continue
        z/=sd
        if abs(z)>bar and abs(r)>SCALE_MIN:
            cps.append((t,z)); todo+= [(a,t),(t,b)]
    cps.sort(); ed=[0]+[c[0] for c in cps]+[n]
    ms=np.array([np.mean(u[a:b]) for a,b in zip(ed[:-1],ed[1:])])
    sg=np.concatenate([np.full(b-a,math.exp(m-ms.min())) for a,b,m in zip(ed[:-1],ed[1:],ms)])
    return sg,[(t,math.exp(ms[i+1]-ms[i]),z) for i,(t,z) in enumerate(cps)]

@njit
def refine(y,sg,lo,hi,t0,rho,q):
    """step 6: date by whitened clipped likelihood; set of nights within q of the best"""
    t=t0; n=hi-lo; C=np.full(n+1,1e300); best=1e300
    s=math.sqrt(1-rho*rho)
    for _ in range(3):
        mL=loc(y,lo,t,sg); mR=loc(y,t,hi,sg)
        best=1e300; bt=t
        # log-likelihood of "change at c", up to a constant, for all c in one pass over terms that differ
        pre=0.0; L=np.zeros(n+1); R=np.zeros(n+1); X=np.zeros(n+1)
        for i in range(n):
            el=(y[lo+i]-mL)/sg[lo+i]; er=(y[lo+i]-mR)/sg[lo+i]
            if i>0:
                pl=(y[lo+i-1]-mL)/sg[lo+i-1]; pr=(y[lo+i-1]-mR)/sg[lo+i-1]
            else: pl=0.0; pr=0.0
            pl=min(max(pl,-3.5),3.5); pr=min(max(pr,-3.5),3.5)
            L[i+1]=L[i]+min(((el-rho*pl)/s)**2,12.0); R[i+1]=R[i]+min(((er-rho*pr)/s)**2,12.0)
            X[i]=min(((er-rho*pl)/s)**2,12.0)
        for c in range(3,n-2):
            C[c]=L[c]+X[c]+R[n]-R[c+1]
            if C[c]<best: best=C[c]; bt=lo+c
        if bt==t: break
        t=bt
    a=t; b=t
    for c in range(3,n-2):
        if C[c]<=best+q:
            if lo+c<a: a=lo+c
            if lo+c>b: b=lo+c
    return t,a,b

def level(y,sg,cps):
    ed=[0]+list(cps)+[len(y)]; L=np.empty(len(y)); mu=[]
    for a,b in zip(ed[:-1],ed[1:]):
        m=loc(y,a,b,sg); L[a:b]=m; mu.append(m)
    return L,mu

@njit
def ramp(y,sg,L,a,b,lrv):
    """step 8: best level-slope-level fit in [a,b); cost in clipped squares over the long-run variance"""
    n=b-a; x=np.empty(n); best=1e300; bs=a; be=b; b0=0.0; b1=0.0
    for i in range(n):
        e=(y[a+i]-L[a+i])/sg[a+i]; e=min(max(e,-4.0),4.0); x[i]=L[a+i]+e*sg[a+i]
    st=max(1,n//30)
    for s in range(0,n-7,st):
        for e in range(s+8,n+st,st):
            if e>n: e=n
            sw=0.0;su=0.0;sy=0.0;suu=0.0;suy=0.0
            for i in range(n):
                u=min(1.0,max(0.0,(i-s+1.0)/(e-s))); w=1.0/sg[a+i]**2
                sw+=w; su+=w*u; sy+=w*x[i]; suu+=w*u*u; suy+=w*u*x[i]
            D=sw*suu-su*su
            if D<=0: continue
            k=(sw*suy-su*sy)/D; c0=(sy-k*su)/sw; q=0.0
            for i in range(n):
                u=min(1.0,max(0.0,(i-s+1.0)/(e-s))); r=(x[i]-c0-k*u)/sg[a+i]; q+=min(r*r,9.0)
            if q<best: best=q; bs=a+s; be=a+e; b0=c0; b1=k
    q=0.0
    for i in range(n):
        r=(x[i]-L[a+i])/sg[a+i]; q+=min(r*r,9.0)
    return q/lrv,best/lrv,bs,be,b1

ZN=0.75; LOOK=0.8; CREEP=1.0; DEPTH=5; NUG=9; REFMAX=20; QDATE=7.0  # + 6 rho
def analyze(v,thr=THR,zn=ZN,log=True,want_scale=True):
    y=np.log(v) if log else np.asarray(v,float)
    n=len(y); out=dict(n=n,changes=[],scale=[],creep=[])
    if n<12 or np.ptp(y)==0: return out
    rel,sc=scales(y) if want_scale and n>=24 else (np.ones(n),[])
    cps=[]
    def fit(cps,nug=NUG,kmax=10):
        s0=np.ones(n)*1e9
        # first level with a rough sd, then noise
        sg=rel*(np.median(np.abs(np.diff(y)))/0.9539+1e-12)
        L,_=level(y,sg,cps); s,r,f,ru=noise((y-L)/rel,zn,nug,kmax); sg=rel*s
        return sg,r,f,ru
    def best_of(cps,noise_):
        sg,r,f,ru=noise_; ed=[0]+cps+[n]; best=(0,)
        for a,b in zip(ed[:-1],ed[1:]):
            if b-a<MINLONG+MINW: continue
            Z,Q,W=scan(y,sg,a,b,ru,f,GRID,thr,MINLONG,REFMAX)
            p=pick(Z,Q,W,a,b,GRID,thr,RATIO,RATIO_END,REFMAX)
            if p[0]>best[0]: best=p+(a,b)
        return best
    def place(best,r,f,sg):
        _,z,t,l,h,a,b=best
        t2=refine(y,sg,a,b,t,r*(1-f),QDATE+6*r*(1-f))[0] if b-a>=8 else t
        return t if (not (l<t2<h) or min(t2-a,b-t2)<MINW) else t2
    for _ in range(30):
        nz=fit(cps); extra=[]; hit=None
        for depth in range(DEPTH+1):
            p=best_of(cps,nz)
            if p[0]>=1+0.08*depth: hit=p; break
            if depth==DEPTH: break
            # look ahead: the noise as it is if the best candidate (then the two best) were real
            ns=fit(sorted(cps+extra),0,3)
            q=best_of(sorted(cps+extra),ns)
            if q[0]<LOOK: break
            extra.append(place(q,ns[1],ns[2],ns[0])); nz=fit(sorted(cps+extra))
        if hit is None: break
        cps=sorted(cps+[place(hit,nz[1],nz[2],nz[0])])
    # step 7: prune with the final noise
    while cps:
        sg,r,f,ru=fit(cps); ed=[0]+cps+[n]; zs=[]
        for k,t in enumerate(cps):
            a,b=ed[k],ed[k+2]
            Z,Q,W=scan(y,sg,a,b,ru,f,GRID,thr,min(MINLONG,max(t-a,b-t)),REFMAX)
            i=t-a; w=slice(max(0,i-1),i+2); zz=Z[w].ravel(); zs.append(zz[np.argmax(np.abs(zz))])
        k=int(np.argmin(np.abs(zs)))
        if abs(zs[k])<thr: cps.pop(k)
        else: break
    sg,r,f,ru=fit(cps); L,mu=level(y,sg,cps); ed=[0]+cps+[n]
    out.update(sigma=float(sg.min()),rho=r,f=f,cps=cps,mu=mu,scale=sc,level=L,sg=sg)
    for k,t in enumerate(cps):
        a,b=ed[k],ed[k+2]
        t2,lo,hi=refine(y,sg,a,b,t,r*(1-f),QDATE+6*r*(1-f))
        lo=min(lo,t); hi=max(hi,t)
        mL,mR=min(t-a,10**6),min(b-t,10**6); d=mu[k+1]-mu[k]
        se=math.sqrt(sg[t-1]**2*vmean(mL,ru,f)+sg[t]**2*vmean(mR,ru,f))
        out["changes"].append(dict(t=t,lo=lo,hi=hi,d=d,se=se,z=float(zs[k]),df=max(3,(n-1-len(cps))*0.6)))
        # step 8: creep: runs of changes in one direction against one slope
    lrv=f+(1-f)*(1+r)/(1-r); i=0; C=out["changes"]
    while i<len(C):
        j=i
        while j+1<len(C) and (C[j+1]["d"]>0)==(C[i]["d"]>0): j+=1
        a=C[i-1]["t"] if i>0 else 0; b=C[j+1]["t"] if j+1<len(C) else n
        k=j-i+1
        cs,cr,s_,e_,dd=ramp(y,sg,L,a,b,lrv)
        if e_-s_>=10 and cr+4*math.log(b-a)<cs+(2*k+1)*math.log(b-a)-CREEP and (dd>0)==(C[i]["d"]>0):
            out["creep"].append(dict(start=s_,end=e_,d=dd,parts=list(range(i,j+1))))
        i=j+1
    # last nights: spike or change
    m=0
    while m<MINW-1 and abs(y[n-1-m]-L[n-1-m])/sg[n-1-m]>4 and (y[n-1-m]>L[n-1-m])==(y[n-1]>L[n-1]): m+=1
    out["open"]=m; ex=np.abs(y-L)/sg>4; ex[n-m:]=False
    out["excursions"]=int(ex.sum())
    return out

# Made series.
def ar(rng,n,r,e=None):
    x=np.empty(n); x[0]=rng.normal(); z=rng.normal(size=n) if e is None else e
    if e is not None: x[0]=e[0]
    for i in range(1,n): x[i]=r*x[i-1]+(1-r*r)**.5*z[i]
    return x
def noise_of(kind,n,rng):
    if kind=="normal": return rng.normal(size=n)
    if kind=="t3": return rng.standard_t(3,size=n)/3**.5
    if kind=="lognormal":
        z=rng.normal(size=n)*.6; x=np.exp(z); return (x-np.exp(.18))/np.sqrt((np.exp(.36)-1)*np.exp(.36))
    if kind=="modes": return 0.6*rng.normal(size=n)+2*(rng.random(n)<.2)-.4
    if kind=="modes05": return 0.5*rng.normal(size=n)+3*(rng.random(n)<.08)-.24
    if kind=="ar3": return ar(rng,n,.3)
    if kind=="ar5": return ar(rng,n,.5)
    if kind=="ar7": return ar(rng,n,.7)
    if kind=="ar6t5": return ar(rng,n,.6,rng.standard_t(5,size=n)/(5/3)**.5)
    if kind=="arma": return (ar(rng,n,.8)*.7+.71*rng.normal(size=n))
    if kind=="hetmix": return rng.normal(size=n)*np.exp(.6*rng.normal(size=n)-.36)
    if kind=="hetweek": return rng.normal(size=n)*np.where(np.arange(n)%7<5,.6,1.6)
    if kind=="hetsin": return rng.normal(size=n)*np.exp(.7*np.sin(np.arange(n)*2*np.pi/60))
    if kind=="spike1": x=rng.normal(size=n); return x
    if kind=="spike3": x=rng.normal(size=n); return x
    if kind=="ar5spike3": return ar(rng,n,.5)
    if kind=="t3spike3": return rng.standard_t(3,size=n)/3**.5
    raise ValueError(kind)
KINDS=["normal","t3","lognormal","modes","modes05","ar3","ar5","ar7","ar6t5","arma","hetmix","hetweek","hetsin","spike1","spike3","ar5spike3","t3spike3"]
def series(kind,n,cv,rng):
    y=cv*noise_of(kind,n,rng)
    if "spike" in kind:
        p=.01 if kind.endswith("1") else .03
        y=y+np.where(rng.random(n)<p,np.log(5),0)
    return y


HERE = os.path.dirname(os.path.abspath(__file__))


def designs(rng):
    """Name and values of each series."""
    for kind in KINDS:
        for n in (30, 120):
            yield f"{kind}, {n} nights", np.exp(series(kind, n, .01, rng))
        for size, before, after in ((.05, 60, 4), (.03, 80, 8), (-.05, 60, 60)):
            y = series(kind, before + after, .01, rng)
            y[before:] += math.log1p(size)
            yield f"{kind}, {size:+.0%} after {before} of {before + after} nights", np.exp(y)
    for kind in ("normal", "ar5", "t3"):
        y = series(kind, 150, .01, rng)
        y[50:80] += np.log1p(.0015) * np.arange(30)
        y[80:] += np.log1p(.0015) * 30
        yield f"{kind}, creep of 30 nights", np.exp(y)
        y = series(kind, 150, .01, rng)
        y[40:80] += math.log1p(.05)
        y[110:] -= math.log1p(.05)
        yield f"{kind}, three steps", np.exp(y)
        y = series(kind, 120, .01, rng)
        y[60:] *= 4
        yield f"{kind}, four times the noise", np.exp(y)
        y = series(kind, 100, .01, rng)
        y[70] += math.log(10)
        y[90:] += math.log1p(.2)
        yield f"{kind}, a spike and a step", np.exp(y)
        y = series(kind, 100, .01, rng)
        y[-2:] += math.log1p(.08)
        yield f"{kind}, two open nights", np.exp(y)
    yield "negative values", series("normal", 80, 1., rng) + np.where(np.arange(80) < 50, 0, 4)


def entry(name, values):
    values = [float(f"{v:.12g}") for v in values]
    raw = min(values) <= 0
    unit = max(abs(v) for v in values) if raw else 1
    found = analyze([v / unit for v in values], log=not raw)
    return dict(
        name=name, values=values, sd=found["sigma"] * unit, memory=found["rho"], white=found["f"],
        changes=[dict(night=c["t"], first=c["lo"], last=c["hi"], effect=c["d"] * unit, standard_error=c["se"] * unit,
                      z=c["z"], df=c["df"]) for c in found["changes"]],
        noise_changes=[dict(night=t, ratio=ratio) for t, ratio, _ in found["scale"]],
        creeps=[dict(start=c["start"], end=c["end"], effect=c["d"] * unit) for c in found["creep"]],
        open=found["open"], excursions=found["excursions"])


if __name__ == "__main__":
    rng = np.random.default_rng(20261126)
    made = dict(python=platform.python_version(), numpy=np.__version__, numba=numba.__version__)
    all_ = [entry(*design) for design in designs(rng)]
    with open(os.path.join(HERE, "history.json"), "w") as file:
        json.dump(dict(made_by=made, series=all_), file, separators=(",", ":"))
        file.write("\n")

pub struct BdfLie;

/** The part of `des.js` that mangled passwords need. */
declare module "des.js" {
  interface CipherOptions {
    readonly type: "encrypt" | "decrypt";
    /** 8 bytes. */
    readonly key: Uint8Array;
    /** 8 bytes, for CBC. */
    readonly iv: Uint8Array;
    /** `false` leaves PKCS#5 padding to the caller. */
    readonly padding: false;
  }

  interface Cipher {
    update(data: Uint8Array): number[];
    final(): number[];
  }

  interface CipherClass {
    create(options: CipherOptions): Cipher;
  }

  const des: {
    readonly DES: CipherClass;
    readonly CBC: { instantiate(base: CipherClass): CipherClass };
  };
  export default des;
}

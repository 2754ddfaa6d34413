/** The parts of `node-forge` that mangled passwords need: the whole of it takes longer to load than all other packages. */
declare module "node-forge/lib/des.js" {
  import type { util } from "node-forge";

  interface Decryption {
    readonly output: util.ByteStringBuffer;
    update(encrypted: util.ByteBuffer): void;
    finish(unpad: () => boolean): boolean;
  }

  const des: {
    /** In CBC mode; a key of 8 bytes is one of DES. All text is bytes in Latin-1. */
    startDecrypting(key: string, iv: string): Decryption;
  };
  export default des;
}

declare module "node-forge/lib/util.js" {
  import { util } from "node-forge";

  export default util;
}

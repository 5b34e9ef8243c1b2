import type {
  PortableApp,
  PortableAsset,
  PortableDocument,
  PortablePicture,
  PortableRevision,
} from '#archive/app-format.ts'

export interface PortableSource {
  readonly app: PortableApp
  /** Returns the documents of a model in the order of `_id`s, after `after`. */
  documents(model: string, after: string | null): AsyncIterable<PortableDocument>
  /**
   * Returns the revisions of a model's documents: in the order of the documents, and by version for each document. Left
   * out: the source has no revisions.
   */
  revisions?(model: string, after: string | null): AsyncIterable<PortableRevision>
  /** Returns the library files used by the documents, and by their revisions if included. */
  assets(): AsyncIterable<PortableAsset>
  /** Returns the bytes of an asset whose `path` is not null. */
  bytes(asset: PortableAsset): AsyncIterable<Uint8Array>
  picture(picture: PortablePicture): Promise<Buffer>
}

import type {
  PortableApp,
  PortableAsset,
  PortableDocument,
  PortablePicture,
  PortableRevision,
} from '#archive/app-format.ts'

/** A portable app from any source, readable any number of times. */
export interface PortableSource {
  readonly app: PortableApp
  /** The documents of a model in the order of `_id`s, after `after`. */
  documents(model: string, after: string | null): AsyncIterable<PortableDocument>
  /** Revisions of these documents, in the same order and by version; left out: unknown. */
  revisions?(model: string, after: string | null): AsyncIterable<PortableRevision>
  /** The library files used by the documents, and by their revisions if included. */
  assets(): AsyncIterable<PortableAsset>
  /** The bytes of an asset whose `path` is not null. */
  bytes(asset: PortableAsset): AsyncIterable<Uint8Array>
  picture(picture: PortablePicture): Promise<Buffer>
}

import type {
  PortableApp,
  PortableAsset,
  PortableDocument,
  PortablePicture,
  PortableRevision,
} from '#archive/app-format.ts'

/** An app that can be carried, wherever it lies: read as often as somebody asks. */
export interface PortableSource {
  readonly app: PortableApp
  /** Those of a model in the order of their `_id`s, behind `after`. */
  documents(model: string, after: string | null): AsyncIterable<PortableDocument>
  /** What these were before, in the same order, the oldest of each first; left out: it is not known. */
  revisions?(model: string, after: string | null): AsyncIterable<PortableRevision>
  /** The files of the library that the documents use, and their revisions where these are asked for. */
  assets(): AsyncIterable<PortableAsset>
  /** The bytes of one of these whose `path` is not null. */
  bytes(asset: PortableAsset): AsyncIterable<Uint8Array>
  picture(picture: PortablePicture): Promise<Buffer>
}

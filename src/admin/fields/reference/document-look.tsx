import { useQuery } from '@tanstack/react-query'
import { shownAssetQuery } from '#admin/media/assets.queries.ts'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { FieldInputProps } from '../field-props.ts'
import classes from './reference.module.css'
import { titleOfDocument } from './reference-queries.ts'

interface DocumentLookProps extends Pick<FieldInputProps, 'place' | 'lookOf'> {
  model: Model
  document: Document
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** A short view of a document: its first picture, its title, and its first other filled field. */
export function DocumentLook({ model, document, place, lookOf }: DocumentLookProps) {
  const filled = model.fields.filter(
    (field) => field._id !== model.titleField && !isNothing(document[field.uid]),
  )
  const covers = filled.filter((field) => lookOf?.(field).cover)
  const picture = covers[0] && lookOf?.(covers[0]).cover?.(covers[0], document[covers[0].uid])
  const next = filled.find((field) => !covers.includes(field))
  const Shown = next && lookOf?.(next).preview
  return (
    <span className={classes.look}>
      {picture !== undefined && <Picture p={place.p} id={picture} />}
      <span className={classes.words}>
        <span className={classes.title}>{titleOfDocument(model, document)}</span>
        {next && Shown && (
          <span className={classes.next}>
            <Shown field={next} value={document[next.uid]} place={place} />
          </span>
        )}
      </span>
    </span>
  )
}

function Picture({ p, id }: { p: string; id: string }) {
  const { data: asset } = useQuery(shownAssetQuery(p, id))
  return <span className={classes.picture}>{asset && <Thumbnail asset={asset} cover small />}</span>
}

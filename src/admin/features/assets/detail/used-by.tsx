import { Anchor, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { ApiResponse } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { assetReferencesQuery } from '#admin/media/assets.queries.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import classes from './asset-drawer.module.css'

/**
 * Lists documents that use an asset, as links. Documents beyond the query's limit, and documents that the user may not
 * read, are only counted.
 */
export function UsedBy({ p, id }: { p: string; id: string }) {
  const t = useTranslations('assets.uses')
  const uses = useQuery(assetReferencesQuery(p, id))
  if (uses.isPending) return <Skeleton height={40} />
  if (uses.error)
    return (
      <Text size="sm" c="var(--mantine-color-error)">
        {errorText(uses.error)}
      </Text>
    )
  const { references, total, hidden } = uses.data
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('count', { count: total + hidden })}
      </Text>
      {references.length > 0 && (
        <ul className={classes.uses}>
          {references.map((one) => (
            <li key={`${one.app.uid}/${one.model.uid}/${one._id}`}>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/$p/$a/$m/$id"
                    params={{ p, a: one.app.uid, m: one.model.uid, id: one._id }}
                  />
                )}
              >
                {one.title || t('untitled')}
              </Anchor>
              <Model p={p} id={id} use={one} />
              <DocumentStatusChip status={one.published ? 'published' : 'draft'} />
              <Places p={p} use={one} />
            </li>
          ))}
        </ul>
      )}
      {total > references.length && (
        <Text size="xs" c="dimmed">
          {t('more', { count: total - references.length })}
        </Text>
      )}
      {hidden > 0 && (
        <Text size="xs" c="dimmed">
          {t('hidden', { count: hidden })}
        </Text>
      )}
    </>
  )
}

type Use = ApiResponse<'GET /api/project/{p}/asset/{id}/references'>['references'][number]

interface ModelProps {
  p: string
  id: string
  use: Use
}

/** The fields that contain the asset, each linked to its place in the document. */
function Places({ p, use: { app, model, _id, places } }: { p: string; use: Use }) {
  const t = useTranslations('assets.uses')
  if (places.length === 0) return null
  return (
    <ul className={classes.places} aria-label={t('places')}>
      {places.map(({ path, names }) => (
        <li key={path}>
          <Anchor
            size="xs"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/$p/$a/$m/$id"
                params={{ p, a: app.uid, m: model.uid, id: _id }}
                search={{ at: path }}
              />
            )}
          >
            {names.join(' › ')}
          </Anchor>
        </li>
      ))}
    </ul>
  )
}

/**
 * The document's app and model. If `fields` is not empty, links to the model's list, filtered by the asset in the first
 * of these fields.
 */
function Model({ p, id, use: { app, model, fields } }: ModelProps) {
  const t = useTranslations('assets.uses')
  const name = `${app.name} / ${model.name}`
  const [field] = fields
  if (field === undefined)
    return (
      <Text size="xs" c="dimmed">
        {name}
      </Text>
    )
  return (
    <Anchor
      size="xs"
      title={t('inList', { model: model.name })}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/$p/$a/$m"
          params={{ p, a: app.uid, m: model.uid }}
          search={{ filters: [{ field, op: 'eq', value: id }] }}
        />
      )}
    >
      {name}
    </Anchor>
  )
}

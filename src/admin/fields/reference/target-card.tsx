import { ActionIcon, Anchor, Group, Skeleton, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { useDocumentWindow } from '../document-window.ts'
import type { FieldInputProps } from '../field-props.ts'
import { DocumentLook } from './document-look.tsx'
import classes from './reference.module.css'
import { titleOfDocument, useTarget } from './reference-queries.ts'

interface TargetCardProps extends Pick<FieldInputProps, 'place' | 'lookOf' | 'readOnly'> {
  modelUids: readonly string[]
  id: string
  /** Whether the document may belong to a model that is hidden from this member. */
  isHidden?: boolean
}

/** A card of one referenced document. */
export function TargetCard({ place, modelUids, id, lookOf, readOnly, isHidden = false }: TargetCardProps) {
  const t = useTranslations('fields.reference')
  const target = useTarget(place, modelUids, id)
  const isOneOfSeveral = modelUids.length > 1
  const modelUid = target.modelUid ?? modelUids[0] ?? ''
  const { data: model } = useQuery(modelQuery(place.p, place.a, modelUid))
  const over = useDocumentWindow()
  const path = ['', place.p, place.a, modelUid].map(encodeURIComponent).join('/')
  const { document } = target
  if (isHidden && !document)
    return (
      <div className={classes.target}>
        <Text size="sm" c="dimmed">
          {t('hidden')}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {id}
        </Text>
      </div>
    )
  if (target.isPending || (!model && !target.isError)) return <Skeleton height={44} />
  if (!document || !model)
    return (
      <div className={classes.target} data-broken>
        <Text size="sm" c="var(--mantine-color-error)">
          {target.isError || !model
            ? t('loadFailed')
            : isOneOfSeveral
              ? t('missingInAll')
              : t('missing', { model: model.name })}
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed" ff="monospace">
            {id}
          </Text>
          {!target.isError && !isOneOfSeveral && (
            <Anchor size="xs" href={`${path}/-/trash`} target="_blank" rel="noopener">
              {t('openTrash')}
            </Anchor>
          )}
        </Group>
      </div>
    )
  const title = titleOfDocument(model, document)
  return (
    <div className={classes.target}>
      <DocumentLook model={model} document={document} place={place} lookOf={lookOf} />
      <Group gap={6} wrap="nowrap">
        {isOneOfSeveral && (
          <Text size="xs" c="dimmed" className={classes.model}>
            {model.name}
          </Text>
        )}
        {document._sys.status === 'draft' && (
          <Tooltip label={t('unpublishedHint')} multiline w={240}>
            <span className={classes.warning}>
              <IconAlertTriangle size={14} aria-hidden="true" />
              <span>{t('unpublished')}</span>
            </span>
          </Tooltip>
        )}
        <DocumentStatusChip status={document._sys.status} />
        {over && !readOnly && !over.isOpen(id) && (
          <Tooltip label={t('edit')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-haspopup="dialog"
              aria-label={t('editOf', { title })}
              onClick={() => over.open({ modelUid, id, onSaved: () => undefined })}
            >
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={t('open')}>
          <ActionIcon
            component="a"
            href={`${path}/${encodeURIComponent(id)}`}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            aria-label={t('openOf', { title })}
          >
            <IconExternalLink size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  )
}

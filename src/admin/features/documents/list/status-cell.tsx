import { ActionIcon, Menu } from '@mantine/core'
import { IconChevronDown, IconEyeOff, IconWorldUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { Document } from '#shared/contract/documents.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { findMissingAssetsOfMany } from '../references.ts'
import { useDocumentRights } from '../use-document-rights.ts'
import { runOne } from './bulk-actions.ts'
import classes from './list.module.css'
import { MissingInDocuments } from './missing-in-documents.tsx'

interface StatusCellProps {
  document: Document
  place: ModelPlace
  title: string
  isActive: boolean
}

/** The publication status. Users with the right to publish or unpublish the document can change it here. */
export function StatusCell({ document, place, title, isActive }: StatusCellProps) {
  const t = useTranslations('documents.bulk')
  const actions = useTranslations('documents.actions')
  const list = useTranslations('documents.list')
  const { status } = document._sys
  const rights = useDocumentRights(place)({ sys: document._sys })
  const publishes = rights.publish && status !== 'published'
  const unpublishes = rights.unpublish && status !== 'draft'
  const { data: model } = useQuery(modelQuery(place.p, place.a, place.m))
  /** Whether the check before publishing is running. Further clicks on publish are ignored then. */
  const asking = useRef(false)
  const chip = <DocumentStatusChip status={status} />
  if (!publishes && !unpublishes) return chip

  async function run(action: 'publish' | 'unpublish') {
    try {
      documentsChanged(place, await runOne(place, action, document._id))
      toast.success(t(`done.${action}`, { count: 1, unchanged: 0 }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  /**
   * Publishes the document. Asks first if the document shows files in the trash or deleted files. A failed check does
   * not block publishing.
   */
  async function publish() {
    if (asking.current) return
    asking.current = true
    const [missing] = model
      ? await findMissingAssetsOfMany(model, place, new Set([document._id])).catch(() => [])
      : []
    asking.current = false
    if (!model || !missing) return run('publish')
    confirm({
      title: t('confirm.publish.title', { count: 1 }),
      message: (
        <MissingInDocuments model={model} titles={new Map([[document._id, title]])} documents={[missing]} />
      ),
      action: t('confirm.publish.action'),
      run: () => run('publish'),
    })
  }

  function askToUnpublish() {
    confirm({
      title: t('confirm.unpublish.title', { count: 1 }),
      message: t('confirm.unpublish.text'),
      action: t('confirm.unpublish.action'),
      run: () => run('unpublish'),
    })
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click in the menu must not open the document.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button handles its own keys.
    <span className={classes.statusMenu} onClick={(event) => isInMenu(event) && event.stopPropagation()}>
      {chip}
      <Menu position="bottom-start" width={220}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            tabIndex={isActive ? 0 : -1}
            aria-label={list('changeStatus', { title: title || list('untitled') })}
          >
            <IconChevronDown size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {publishes && (
            <Menu.Item leftSection={<IconWorldUpload size={16} />} onClick={() => void publish()}>
              {status === 'changed' ? actions('publishChanges') : actions('publish')}
            </Menu.Item>
          )}
          {unpublishes && (
            <Menu.Item leftSection={<IconEyeOff size={16} />} onClick={askToUnpublish}>
              {actions('unpublish')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}

/** Returns whether a click hit the button or its menu. Other clicks are for the row. */
const isInMenu = (event: MouseEvent) => (event.target as Element).closest('button, [role="menu"]') !== null

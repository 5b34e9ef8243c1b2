import { Button, Menu, Text, Tooltip } from '@mantine/core'
import {
  IconChevronDown,
  IconCopy,
  IconDeviceFloppy,
  IconEyeOff,
  IconTrash,
  IconWorldUpload,
} from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { shortcutText } from '#admin/lib/shortcuts.ts'
import type { DocumentRights } from '../use-document-rights.ts'
import classes from './editor.module.css'
import { useDocument, useEditor, useHasUnsaved, useSaveStatus } from './editor-context.ts'

export interface DocumentActions {
  save: () => void
  publish: () => void
  unpublish: () => void
  duplicate: () => void
  remove: () => void
}

/** The save and publish buttons, and a menu of actions. Disabled actions show their reason. */
export function PublishButton({ rights, actions }: { rights: DocumentRights; actions: DocumentActions }) {
  const t = useTranslations('documents.actions')
  const unsaved = useHasUnsaved()
  const document = useDocument()
  const { phase } = useSaveStatus()
  // In a window over another document, actions that navigate are not offered.
  const { over } = useEditor()
  const saving = phase === 'saving'
  const status = document?.sys.status
  const published = status === 'published' || status === 'changed'

  const reasons =
    phase === 'deleted'
      ? allFor(t('deleted'))
      : {
          save: !rights.edit ? t('noRightToEdit') : document && !unsaved ? t('nothingToSave') : null,
          publish: !rights.publish
            ? t('noRightToPublish')
            : status === 'published' && !unsaved
              ? t('alreadyPublished')
              : null,
          unpublish: !published ? t('notPublished') : !rights.unpublish ? t('noRightToPublish') : null,
          duplicate: !document ? t('notSavedYet') : !rights.create ? t('noRightToCreate') : null,
          remove: !document ? t('notSavedYet') : !rights.delete ? t('noRightToDelete') : null,
        }

  return (
    <div className={classes.buttons}>
      <Explained reason={reasons.save} hint={published ? t('saveHint') : shortcutText('mod+s')}>
        <Button
          variant="default"
          loading={saving}
          onClick={() => reasons.save === null && actions.save()}
          {...disabled(reasons.save)}
        >
          {t('save')}
        </Button>
      </Explained>
      <div className={classes.split}>
        <Explained reason={reasons.publish} hint={shortcutText('mod+enter')}>
          <Button
            className={classes.splitMain}
            disabled={false}
            onClick={() => reasons.publish === null && !saving && actions.publish()}
            {...disabled(reasons.publish)}
          >
            {status === 'changed' || (status === 'published' && unsaved) ? t('publishChanges') : t('publish')}
          </Button>
        </Explained>
        <Menu position="bottom-end" width={290}>
          <Menu.Target>
            <Button className={classes.splitMenu} px={8} aria-label={t('more')}>
              <IconChevronDown size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Item icon={IconDeviceFloppy} reason={reasons.save} hint={t('saveDraftHint')} run={actions.save}>
              {published ? t('saveChanges') : t('saveDraft')}
            </Item>
            <Item
              icon={IconWorldUpload}
              reason={reasons.publish}
              hint={t('publishHint')}
              run={actions.publish}
            >
              {status === 'changed' || status === 'published' ? t('publishChanges') : t('publish')}
            </Item>
            <Item
              icon={IconEyeOff}
              reason={reasons.unpublish}
              hint={t('unpublishHint')}
              run={actions.unpublish}
            >
              {t('unpublish')}
            </Item>
            {!over && <Menu.Divider />}
            {!over && (
              <Item
                icon={IconCopy}
                reason={reasons.duplicate}
                hint={t('duplicateHint')}
                run={actions.duplicate}
              >
                {t('duplicate')}
              </Item>
            )}
            {!over && (
              <Item
                icon={IconTrash}
                reason={reasons.remove}
                hint={t('removeHint')}
                run={actions.remove}
                danger
              >
                {t('remove')}
              </Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </div>
    </div>
  )
}

const allFor = (reason: string) => ({
  save: reason,
  publish: reason,
  unpublish: reason,
  duplicate: reason,
  remove: reason,
})

/** Disables a button without removing it from the tab order, so that its reason can be read. */
function disabled(reason: string | null) {
  return reason === null ? {} : { 'data-disabled': true, 'aria-disabled': true }
}

function Explained({ reason, hint, children }: { reason: string | null; hint: string; children: ReactNode }) {
  return (
    <Tooltip label={reason ?? hint} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  )
}

interface ItemProps {
  icon: ComponentType<{ size: number }>
  reason: string | null
  hint: string
  run: () => void
  danger?: boolean
  children: ReactNode
}

function Item({ icon: Icon, reason, hint, run, danger = false, children }: ItemProps) {
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      {...(danger && reason === null ? { c: 'var(--mantine-color-error)' } : {})}
      {...disabled(reason)}
      closeMenuOnClick={reason === null}
      // Full opacity, so that the reason is readable.
      styles={{ item: { opacity: 1 } }}
      onClick={() => reason === null && run()}
    >
      {children}
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
        {reason ?? hint}
      </Text>
    </Menu.Item>
  )
}

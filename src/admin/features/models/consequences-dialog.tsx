import { Anchor, Button, Checkbox, Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { IssueCode } from '#shared/errors.ts'
import type { ModelDraft } from './draft.ts'
import type { Blocked, Consequences, Loss, SiteChange } from './model-editing.ts'

interface ConsequencesDialogProps {
  consequences: Consequences
  /** The saved model or custom type, for the names of its fields and for links. */
  base: ModelDraft
  /** The draft. Omitted when an earlier change is reverted. */
  draft?: ModelDraft
  /** The models whose names replace their uids in the consequences. */
  models: readonly Model[]
  /** Whether lost values are kept for a while, so that the change can be reverted. */
  isKept: boolean
  /** The app, for links to affected documents. Omitted: no links. */
  place?: { p: string; a: string }
  /** The label of the confirming button. */
  action?: string
  onCancel: () => void
  onAccept: () => void
}

/**
 * Shows the consequences of a save or revert: values that documents would lose, changes in responses to sites, and
 * documents that could no longer be published. Losses must be confirmed by a checkbox.
 */
export function ConsequencesDialog(props: ConsequencesDialogProps) {
  const { consequences, isKept, action, onCancel, onAccept } = props
  const { losses, site, blocked } = consequences
  const t = useTranslations('models.losses')
  const also = useTranslations('models.consequences')
  const [accepted, setAccepted] = useState(false)
  const loses = losses.length > 0
  return (
    <Dialog onClose={onCancel} title={loses ? t('title') : also('title')} size="lg">
      <Stack gap="lg">
        {loses && (
          <Part title={also('losses')} text={isKept ? t('text') : t('forEver')}>
            {losses.map((loss) => (
              <LossRow key={`${loss.model} ${loss.field}`} loss={loss} {...props} />
            ))}
          </Part>
        )}
        {site.length > 0 && (
          <Part title={also('site')} text={also('siteText')}>
            {site.map((change) => (
              <SiteRow key={`${change.model} ${change.kind} ${change.field}`} change={change} {...props} />
            ))}
          </Part>
        )}
        {blocked.length > 0 && (
          <Part title={also('blocked')} text={also('blockedText')}>
            {blocked.map((one) => (
              <BlockedRow key={`${one.model} ${one.field} ${one.code}`} blocked={one} {...props} />
            ))}
          </Part>
        )}
        {loses && (
          <Checkbox
            label={t('accept')}
            checked={accepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button {...(loses ? { color: 'red.8' } : {})} disabled={loses && !accepted} onClick={onAccept}>
            {action ?? (loses ? t('save') : also('save'))}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm" mb="xs">
        {text}
      </Text>
      <Table.ScrollContainer minWidth={320}>
        <Table>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}

type Names = Pick<ConsequencesDialogProps, 'base' | 'draft' | 'models'>

/**
 * The name of a field, with the model's name if `of` is set. For an inner field: the name of the outer field, and the
 * path from there.
 */
function FieldName({ path, of, base, draft, models }: Names & { path: string; of: string | undefined }) {
  const t = useTranslations('models.losses')
  const model = models.find(({ uid }) => uid === of)
  const [uid = ''] = path.split(/[.[]/, 1)
  const inside = path.slice(uid.length).replace(/^\./, '')
  const fields = [...(model?.fields ?? []), ...base.fields, ...(draft?.fields ?? [])]
  const field = fields.find((other) => other.uid === uid)?.name || uid
  const name = of === undefined ? field : t('inModel', { model: model?.name ?? of, name: field })
  return (
    <>
      {name} {inside && <Code>{inside}</Code>}
    </>
  )
}

function LossRow({ loss, ...names }: Names & { loss: Loss }) {
  const t = useTranslations('models.losses')
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ minWidth: '6em' }}>
        <FieldName path={loss.field} of={loss.model} {...names} />
      </Table.Th>
      <Table.Td>{t(loss.reason)}</Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {t('documents', { count: loss.documents, total: loss.total })}
      </Table.Td>
    </Table.Tr>
  )
}

function SiteRow({ change, ...names }: Names & { change: SiteChange }) {
  const t = useTranslations('models.consequences')
  const { kind, field, before, after, model } = change
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ minWidth: '6em' }}>
        {field === null ? t('model') : <FieldName path={field} of={model} {...names} />}
      </Table.Th>
      <Table.Td>{t(`kinds.${kind}`)}</Table.Td>
      <Table.Td>
        <Code>{before}</Code>
        {after !== null && (
          <>
            {' → '}
            <Code>{after}</Code>
          </>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function BlockedRow({
  blocked,
  place,
  ...names
}: Names & Pick<ConsequencesDialogProps, 'place'> & { blocked: Blocked }) {
  const t = useTranslations('models.consequences')
  const { field, code, documents, model } = blocked
  const { base, draft } = names
  // The document list can filter only by the saved uid of a field.
  const edited = draft?.fields.find(({ uid }) => uid === field)
  const saved = edited && base.fields.find(({ key }) => key === edited.key)
  const filters = saved && code === 'Required' ? [{ field: saved.uid, op: 'empty' as const, value: '' }] : []
  const count = t('documents', { count: documents })
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ minWidth: '6em' }}>
        <FieldName path={field} of={model} {...names} />
      </Table.Th>
      <Table.Td>{code === 'Required' ? t('required') : issueText({ code: code as IssueCode })}</Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {place ? (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/$p/$a/$m"
                params={{ ...place, m: model ?? base.uid }}
                search={{ view: 'all', ...(filters.length > 0 ? { filters } : {}) }}
                target="_blank"
              />
            )}
          >
            {count} <IconExternalLink size={13} aria-label={t('newTab')} />
          </Anchor>
        ) : (
          count
        )}
      </Table.Td>
    </Table.Tr>
  )
}

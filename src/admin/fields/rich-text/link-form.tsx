import { ActionIcon, Button, Group, Paper, Select, Text, TextInput, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Place } from '../field-props.ts'
import { ReferencePicker } from '../reference/reference-picker.tsx'
import { titleOfDocument } from '../reference/reference-queries.ts'
import { usableAddress } from './address-form.tsx'
import { useLinked } from './use-linked.ts'

export interface LinkValue {
  address: string
  /** The linked document and its model; null for a link to a URL. */
  target: { document: string; model: string } | null
}

interface LinkFormProps {
  place: Place
  initial: LinkValue
  /** Whether the form edits an existing link. If so, the link can also be removed. */
  existing: boolean
  /** `words`: the text for a link without its own text. It is the target's title, or the URL. */
  onSubmit: (value: LinkValue, words: string) => void
  onRemove: () => void
  onClose: () => void
}

/** A form for a link to a URL or to a document of the app. */
export function LinkForm({ place, initial, existing, onSubmit, onRemove, onClose }: LinkFormProps) {
  const t = useTranslations('fields.richText')
  const common = useTranslations('common')
  const [address, setAddress] = useState(initial.address)
  const [target, setTarget] = useState(initial.target)
  const [problem, setProblem] = useState(false)
  const [picking, setPicking] = useState<string | null>(null)
  const models = useQuery(modelsQuery(place.p, place.a))
  const [chosen, setChosen] = useState<string | null>(null)
  const picked = useQuery({ ...modelQuery(place.p, place.a, picking ?? ''), enabled: picking !== null })
  const title = useTargetTitle(place, target)
  const modelUid = chosen ?? title?.model ?? models.data?.[0]?.uid ?? null

  function submit(event: FormEvent) {
    event.preventDefault()
    // React events bubble through this portal to the form of the document.
    event.stopPropagation()
    // An unchanged URL is accepted in any form.
    const usable =
      (existing && address === initial.address) || (target && address.trim() === '')
        ? { address }
        : usableAddress(address, 'link')
    if ('problem' in usable) setProblem(true)
    else onSubmit({ address: usable.address, target }, title?.text || usable.address)
  }

  if (picking !== null && picked.data)
    return (
      <ReferencePicker
        place={place}
        models={[picked.data]}
        multiple={false}
        maximum={null}
        chosen={target ? [target.document] : []}
        onCreate={undefined}
        onClose={(next) => {
          const document = next?.[0]
          if (document) setTarget({ document, model: picking })
          setPicking(null)
        }}
      />
    )
  return (
    <Dialog onClose={onClose} title={t(existing ? 'link.edit' : 'link.title')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          {target ? (
            <Paper withBorder p="xs">
              <Group wrap="nowrap" justify="space-between">
                <Text size="sm" lineClamp={2}>
                  {title === null ? t('link.missing') : title.text}
                </Text>
                <Group gap={6} wrap="nowrap">
                  {title?.status && <DocumentStatusChip status={title.status} />}
                  <Tooltip label={t('link.withoutTarget')}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('link.withoutTarget')}
                      onClick={() => setTarget(null)}
                    >
                      <IconX size={16} />
                    </ActionIcon>
                  </Tooltip>
                </Group>
              </Group>
            </Paper>
          ) : null}
          <TextInput
            data-autofocus
            type="url"
            inputMode="url"
            label={t(target ? 'link.siteAddress' : 'link.address')}
            description={target ? t('link.siteAddressHint') : undefined}
            placeholder={target ? '/' : 'https://'}
            value={address}
            error={problem && t('badAddress')}
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              setProblem(false)
            }}
          />
          {models.data && models.data.length > 0 && (
            <Group align="flex-end" gap="xs" wrap="nowrap">
              <Select
                flex={1}
                label={t('link.model')}
                data={models.data.map(({ uid, name }) => ({ value: uid, label: name }))}
                value={modelUid}
                allowDeselect={false}
                searchable={models.data.length > 7}
                onChange={setChosen}
              />
              <Button
                variant="default"
                aria-haspopup="dialog"
                loading={picking !== null && picked.isPending}
                onClick={() => setPicking(modelUid)}
              >
                {t(target ? 'link.chooseOther' : 'link.choose')}
              </Button>
            </Group>
          )}
          <Group justify="flex-end" gap="sm">
            {existing && (
              <Button
                variant="subtle"
                color="red.8"
                c="var(--mantine-color-error)"
                onClick={onRemove}
                mr="auto"
              >
                {t('link.remove')}
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit">{t(existing ? 'link.change' : 'link.submit')}</Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}

/**
 * Returns the target's title, status and current model. Null if there is no target, or if it was not found or failed to
 * load. While the target is loading, the title is empty.
 */
function useTargetTitle(place: Place, target: LinkValue['target']) {
  const [found] = useLinked(place, target ? [target] : [])
  const model = useQuery({
    ...modelQuery(place.p, place.a, found?.modelUid ?? ''),
    enabled: found?.modelUid !== undefined,
  })
  if (!found || found.document === null || model.isError) return null
  if (!found.document || !model.data) return { text: '', status: undefined, model: undefined }
  return {
    text: titleOfDocument(model.data, found.document),
    status: found.document._sys.status,
    model: model.data.uid,
  }
}

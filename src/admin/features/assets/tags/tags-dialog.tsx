import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconPencil, IconPlus, IconTrash, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { inputErrorText } from '#admin/lib/errors.ts'
import { assetsChanged, tagsQuery } from '#admin/media/assets.queries.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Dialog } from '#admin/ui/dialog.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Tag } from '#shared/contract/assets.ts'
import classes from './tags.module.css'

/** A dialog that creates, renames and deletes the library's tags. */
export function TagsDialog({ p, onClose }: { p: string; onClose: () => void }) {
  const t = useTranslations('assets.tags')
  const tags = useQuery(tagsQuery(p))
  return (
    <Dialog onClose={onClose} title={t('manage')} size="lg">
      <Stack>
        <NewTag p={p} />
        {tags.isPending ? (
          <SkeletonList rows={3} height={40} />
        ) : tags.error && !tags.data ? (
          <ErrorState error={tags.error} retry={() => void tags.refetch()} />
        ) : tags.data.length === 0 ? (
          <Text size="sm" c="dimmed" ta="center" py="md">
            {t('empty')}
          </Text>
        ) : (
          <ul className={classes.list} aria-label={t('list')}>
            {tags.data.map((tag) => (
              <TagRow key={tag._id} p={p} tag={tag} />
            ))}
          </ul>
        )}
      </Stack>
    </Dialog>
  )
}

function NewTag({ p }: { p: string }) {
  const t = useTranslations('assets.tags')
  const { name, setName, problem, running, submit } = useTagName('', async (text) => {
    await api('POST /api/project/{p}/tags', { params: { p }, body: { data: { name: text } } })
    await assetsChanged(p)
    setName('')
  })
  return (
    <form onSubmit={submit} className={classes.form}>
      <TextInput
        data-autofocus
        className={classes.input}
        label={t('newName')}
        value={name}
        error={problem}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" leftSection={<IconPlus size={16} />} loading={running} disabled={!name.trim()}>
        {t('add')}
      </Button>
    </form>
  )
}

function TagRow({ p, tag }: { p: string; tag: Tag }) {
  const t = useTranslations('assets.tags')
  const [editing, setEditing] = useState(false)

  function remove() {
    confirm({
      title: t('deleteTitle', { name: tag.name }),
      message: t('deleteText', { count: tag.assetCount }),
      action: t('delete'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/tags/{id}', { params: { p, id: tag._id } })
        await assetsChanged(p)
      },
    })
  }

  if (editing)
    return (
      <li className={classes.row}>
        <RenameForm p={p} tag={tag} onClose={() => setEditing(false)} />
      </li>
    )
  return (
    <li className={classes.row}>
      <Text size="sm" fw={550} className={classes.name ?? ''}>
        {tag.name}
      </Text>
      <Text size="xs" c="dimmed">
        {t('count', { count: tag.assetCount })}
      </Text>
      <Group gap={2} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('renameOf', { name: tag.name })}
          onClick={() => setEditing(true)}
        >
          <IconPencil size={16} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('deleteOf', { name: tag.name })}
          onClick={remove}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    </li>
  )
}

function RenameForm({ p, tag, onClose }: { p: string; tag: Tag; onClose: () => void }) {
  const t = useTranslations('assets.tags')
  const common = useTranslations('common')
  const { name, setName, problem, running, submit } = useTagName(tag.name, async (text) => {
    await api('PUT /api/project/{p}/tags/{id}', {
      params: { p, id: tag._id },
      body: { data: { name: text } },
    })
    await assetsChanged(p)
    onClose()
  })
  return (
    <form onSubmit={submit} className={classes.form}>
      <TextInput
        autoFocus
        className={classes.input}
        aria-label={t('renameOf', { name: tag.name })}
        value={name}
        error={problem}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ActionIcon
        type="submit"
        size={36}
        loading={running}
        disabled={!name.trim()}
        aria-label={common('save')}
      >
        <IconCheck size={16} />
      </ActionIcon>
      <ActionIcon size={36} variant="default" aria-label={common('cancel')} onClick={onClose}>
        <IconX size={16} />
      </ActionIcon>
    </form>
  )
}

/** Returns the form state of a tag's name: input, problem and submission. */
function useTagName(initial: string, send: (name: string) => Promise<void>) {
  const [name, setName] = useState(initial)
  const [problem, setProblem] = useState<string | null>(null)
  const [running, setRunning] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (running || !name.trim()) return
    setRunning(true)
    setProblem(null)
    try {
      await send(name.trim())
    } catch (error) {
      setProblem(inputErrorText(error))
    }
    setRunning(false)
  }

  return { name, setName, problem, running, submit }
}

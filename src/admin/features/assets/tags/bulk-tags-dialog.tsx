import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { TagInput } from '#admin/media/tag-input.tsx'
import { Dialog } from '#admin/ui/dialog.tsx'

interface BulkTagsDialogProps {
  p: string
  /** The number of selected assets. */
  count: number
  onClose: (change: { add: string[]; remove: string[] } | null) => void
}

/** A dialog to add tags to, and remove tags from, all selected assets. */
export function BulkTagsDialog({ p, count, onClose }: BulkTagsDialogProps) {
  const t = useTranslations('assets.bulk')
  const common = useTranslations('common')
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  return (
    <Dialog onClose={() => onClose(null)} title={t('tagsTitle', { count })}>
      <Stack>
        <TagInput p={p} label={t('addTags')} value={add} onChange={setAdd} creates />
        <TagInput p={p} label={t('removeTags')} value={remove} onChange={setRemove} />
        <Text size="sm" c="dimmed">
          {t('tagsHint')}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => onClose(null)}>
            {common('cancel')}
          </Button>
          <Button
            disabled={add.length === 0 && remove.length === 0}
            onClick={() => onClose({ add, remove: remove.filter((id) => !add.includes(id)) })}
          >
            {t('apply')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

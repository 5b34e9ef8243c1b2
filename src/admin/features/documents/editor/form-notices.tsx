import { Alert, Button, Group, Text } from '@mantine/core'
import { IconForms, IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { LeftValue } from './carry-values.ts'
import { useCopyTexts } from './use-copy-texts.ts'

/** A notice that the model was changed during editing, with a button to load the new form. */
export function FormChangedNotice({ onRenew }: { onRenew: () => Promise<void> }) {
  const t = useTranslations('documents.editor')
  const [running, setRunning] = useState(false)

  async function renew() {
    setRunning(true)
    await onRenew()
    setRunning(false)
  }

  return (
    <Alert
      color="blue"
      variant="light"
      icon={<IconForms size={18} />}
      title={t('formChangedTitle')}
      mb="lg"
      role="alert"
    >
      <Text size="sm" mb="xs">
        {t('formChangedText')}
      </Text>
      <Button size="xs" loading={running} onClick={() => void renew()}>
        {t('formChangedRenew')}
      </Button>
    </Alert>
  )
}

/** A notice of values that no longer fit any field, with a button to copy them. */
export function LeftNotice({ left, onClose }: { left: readonly LeftValue[]; onClose: () => void }) {
  const t = useTranslations('documents.editor')
  const copy = useCopyTexts()
  return (
    <Alert
      color="blue"
      variant="light"
      icon={<IconInfoCircle size={18} />}
      title={t('leftTitle')}
      mb="lg"
      role="status"
    >
      <Text size="sm" mb="xs">
        {t('leftText')}
      </Text>
      {left.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the rows have no state.
        <div key={index}>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Text size="sm" mb="xs" lineClamp={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {textOf(value)}
          </Text>
        </div>
      ))}
      <Group gap="xs">
        <Button
          size="xs"
          onClick={() => void copy(left.map(({ name, value }) => ({ name, text: textOf(value) })))}
        >
          {t('leftCopy')}
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          {t('leftDrop')}
        </Button>
      </Group>
    </Alert>
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1))

import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core'
import { IconMoodSmile } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { segmenter } from '#shared/unicode.ts'

const EmojiPicker = lazyPart(async () => (await import('./emoji-picker.tsx')).EmojiPicker, loadEditingTexts)

/** Returns the last grapheme cluster of the input. */
function lastCharacter(text: string): string {
  return [...segmenter.segment(text.trim())].at(-1)?.segment ?? ''
}

interface EmojiBoxProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  /** Called with one grapheme cluster or `''`. */
  onChange: (value: string) => void
  /** The element in which the picker is mounted; by default Mantine's shared portal. */
  portalProps?: { target: string }
}

/** An input for one emoji, typed or picked. The picker is downloaded when it is first opened. */
export function EmojiBox({ value, onChange, portalProps, ...props }: EmojiBoxProps) {
  const t = useTranslations('common')
  const [open, setOpen] = useState(false)
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      withRoles={false}
      hideDetached={false}
      trapFocus
      returnFocus
      shadow="md"
      {...(portalProps ? { portalProps } : {})}
    >
      <Popover.Target>
        <TextInput
          w={96}
          autoComplete="off"
          {...props}
          styles={{ input: { fontSize: 20 } }}
          value={value}
          onChange={(event) => onChange(lastCharacter(event.currentTarget.value))}
          rightSection={
            props.readOnly ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={28}
                aria-label={t('chooseEmoji')}
                aria-haspopup="dialog"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
              >
                <IconMoodSmile size={18} />
              </ActionIcon>
            )
          }
        />
      </Popover.Target>
      <Popover.Dropdown p={0} role="dialog" aria-label={t('chooseEmoji')}>
        <Suspense fallback={<div style={{ width: 320, height: 340 }} />}>
          {open && (
            <EmojiPicker
              onChoose={(emoji) => {
                setOpen(false)
                onChange(emoji)
              }}
            />
          )}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}

import type { Editor } from '@tiptap/core'
import { AssetPicker } from '#admin/media/picker/asset-picker.tsx'
import type { Place } from '../field-props.ts'
import { AddressForm, type AddressFormValue } from './address-form.tsx'
import { EmbedForm } from './embed-form.tsx'
import { insertEmbed } from './embeds.ts'
import { removeRuby, rubyAt, setRuby } from './inline-elements.ts'
import { ownStep } from './insert-blocks.ts'
import { insertPictures } from './insert-pictures.ts'
import { LinkForm, type LinkValue } from './link-form.tsx'
import { replacePicture } from './replace-picture.ts'
import { RubyForm } from './ruby-form.tsx'
import { ShortcutList } from './shortcut-list.tsx'

export type EditorDialog = 'link' | 'image' | 'pictures' | 'replacement' | 'embed' | 'ruby' | 'shortcuts'

interface EditorDialogsProps {
  editor: Editor
  place: Place
  dialog: EditorDialog
  /**
   * URL of the picture in a selected block that the dialog `replacement` replaces. Ignored if the picture itself is
   * selected.
   */
  broken: string | null
  onClose: () => void
}

/** Renders the open dialog of the editor and applies its result to the selection. */
export function EditorDialogs({ editor, place, dialog, broken, onClose }: EditorDialogsProps) {
  const chain = () => editor.chain().focus()
  const close =
    <Arguments extends unknown[]>(run: (...given: Arguments) => unknown) =>
    (...given: Arguments) => {
      onClose()
      ownStep(editor, () => run(...given))
    }
  switch (dialog) {
    case 'pictures':
      return (
        <AssetPicker
          p={place.p}
          accept="image/*"
          multiple
          onClose={close((assets) => {
            if (!assets) return
            editor.commands.focus()
            insertPictures(editor, assets, editor.state.selection.to)
          })}
        />
      )
    case 'replacement':
      return (
        <AssetPicker
          p={place.p}
          accept="image/*"
          onClose={close((assets) => {
            const [asset] = assets ?? []
            if (asset) replacePicture(editor, asset, broken)
          })}
        />
      )
    case 'image': {
      const initial = pictureAt(editor)
      return (
        <AddressForm
          initial={initial ?? { address: '', text: '' }}
          existing={initial !== null}
          onClose={onClose}
          onRemove={close(() => chain().deleteSelection().run())}
          onSubmit={close(({ address, text }) =>
            initial
              ? chain().updateAttributes('image', { src: address, alt: text }).run()
              : insertPicture(editor, address, text),
          )}
        />
      )
    }
    case 'link': {
      const initial = linkAt(editor)
      return (
        <LinkForm
          place={place}
          initial={initial ?? { address: '', target: null }}
          existing={initial !== null}
          onClose={onClose}
          onRemove={close(() => unlink(editor))}
          onSubmit={close((value, words) => setLink(editor, value, words))}
        />
      )
    }
    case 'embed':
      return (
        <EmbedForm
          onClose={onClose}
          onSubmit={close((html) => {
            const { to } = editor.state.selection
            editor.commands.focus()
            insertEmbed(editor, html, { from: to, to })
          })}
        />
      )
    case 'ruby': {
      const initial = rubyAt(editor)
      return (
        <RubyForm
          initial={initial ?? { words: '', reading: '' }}
          existing={initial?.isNew === false}
          onClose={onClose}
          onRemove={close(() => removeRuby(editor))}
          onSubmit={close((value) => setRuby(editor, value))}
        />
      )
    }
    case 'shortcuts':
      return <ShortcutList onClose={onClose} />
  }
}

function insertPicture(editor: Editor, src: string, altText: string): void {
  editor.commands.focus()
  insertPictures(editor, [{ src, altText, width: null, height: null }], editor.state.selection.to)
}

function pictureAt(editor: Editor): AddressFormValue | null {
  if (!editor.isActive('image')) return null
  const { src, alt } = editor.getAttributes('image')
  return { address: String(src ?? ''), text: String(alt ?? '') }
}

function linkAt(editor: Editor): LinkValue | null {
  if (editor.isActive('documentLink')) {
    const { href, document, model } = editor.getAttributes('documentLink')
    return {
      address: String(href ?? ''),
      target: { document: String(document), model: String(model ?? '') },
    }
  }
  if (!editor.isActive('link')) return null
  return { address: String(editor.getAttributes('link').href ?? ''), target: null }
}

function unlink(editor: Editor): void {
  const name = editor.isActive('documentLink') ? 'documentLink' : 'link'
  editor.chain().focus().extendMarkRange(name).unsetMark(name).run()
}

/** Replaces the link around the caret, or links the selection. Without either, inserts a link with the text `words`. */
function setLink(editor: Editor, { address, target }: LinkValue, words: string): void {
  const before = ['documentLink', 'link'].find((name) => editor.isActive(name))
  const mark = target
    ? { type: 'documentLink', attrs: { ...target, href: address === '' ? null : address } }
    : { type: 'link', attrs: { href: address } }
  const chain = editor.chain().focus()
  if (before) chain.extendMarkRange(before).unsetMark(before).setMark(mark.type, mark.attrs).run()
  else if (editor.state.selection.empty)
    chain.insertContent({ type: 'text', text: words, marks: [mark] }).run()
  else chain.setMark(mark.type, mark.attrs).run()
}
